"""What every training needs, whichever part of the pipeline learns."""
