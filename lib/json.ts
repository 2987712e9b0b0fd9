/** Any JSON value (RFC 8259). Numbers are IEEE 754 doubles. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject

export type JsonObject = { [key: string]: JsonValue }

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The members that have a value. Inside the server `undefined` means absent; canonical JSON (jcs.ts) refuses it. */
export const definedOnly = (members: { readonly [name: string]: JsonValue | undefined }): JsonObject => {
  const defined: [string, JsonValue][] = []
  for (const [name, value] of Object.entries(members)) if (value !== undefined) defined.push([name, value])
  return Object.fromEntries(defined)
}
