/**
 * The envelope of procedures: values are written as `{"json": …}` and read with or without it. We don't use superjson, which
 * throws on keys such as `constructor`: payloads are JSON-native and times are ISO 8601 strings.
 */
const isEnvelope = (value: unknown): value is { json: unknown } =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 1 &&
  Object.hasOwn(value, 'json')

export const wireTransformer = {
  serialize: (value: unknown): { json: unknown } => ({ json: value }),
  deserialize: (value: unknown): unknown => (isEnvelope(value) ? value.json : value),
}
