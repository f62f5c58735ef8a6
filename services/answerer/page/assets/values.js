// Write values of the graph for people.

/** Return a value as text: the name of a node, a date without its wrapping, a list with commas. */
export function valueText(value) {
  if (value === null || value === undefined) return "—";
  if (Array.isArray(value)) return value.map(valueText).join(", ");
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return value.toLocaleString("en", { maximumFractionDigits: 6 });
  if (typeof value !== "object") return String(value);
  const text = value.name ?? value.type ?? value.date ?? value.datetime;
  return text === undefined ? JSON.stringify(value) : String(text);
}

/** Return a relation as its owner says it, by `said`, or else as words: "directed_by" becomes "directed by". */
export function relationText(relation, said = {}) {
  if (Object.hasOwn(said, relation)) return said[relation];
  return relation.replace(/[_\s]+/g, " ").trim() || relation;
}

/** Return a probability as a percentage. */
export function percent(probability) {
  return `${Math.round(100 * probability)}%`;
}
