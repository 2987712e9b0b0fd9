/** The name of an attribute in a filter, in lower case and without the URN of its own schema: `urn:…:User:userName` → username. */
export function localName(attribute: string, schema: string): string {
  const name = attribute.toLowerCase()
  const prefix = `${schema.toLowerCase()}:`
  return name.startsWith(prefix) ? name.slice(prefix.length) : name
}
