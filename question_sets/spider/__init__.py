"""Read Spider, questions with SQL over relational schemas, as questions with query plans over graphs.

Spider (Yu et al., EMNLP 2018) is available under the licence CC BY-SA 4.0; NOTICE has the attribution.
"""
