import { isJsonObject, type JsonObject, type JsonValue } from './json.ts'

/** A value that a JSON Schema of the catalog accepts, always the same: with the required fields alone. */
export function exampleOf(schema: JsonValue | undefined): JsonValue {
  if (!isJsonObject(schema)) return {}
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0] ?? null
  const choice = schema.anyOf ?? schema.oneOf
  if (Array.isArray(choice)) return exampleOf(choice[0])
  switch (schema.type) {
    case 'string':
      return text(schema)
    case 'integer':
    case 'number':
      return Math.max(1, typeof schema.minimum === 'number' ? schema.minimum : 1)
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [exampleOf(schema.items)]
    default:
      return members(schema)
  }
}

function members({ properties, required }: JsonObject): JsonObject {
  const known = isJsonObject(properties) ? properties : {}
  const names = Array.isArray(required) ? required.map(String) : []
  return Object.fromEntries(names.map((name) => [name, exampleOf(known[name])]))
}

const formats: Record<string, string> = {
  uuid: '0198c4d2-7a10-7c3e-9b1f-2f6d5a8e4c01',
  'date-time': '2026-01-31T09:00:00.000Z',
  date: '2026-01-31',
  email: 'maria@northwind.example',
  uri: 'https://northwind.example/',
}

function text({ format, pattern, minLength }: JsonObject): string {
  const known = typeof format === 'string' ? formats[format] : undefined
  if (known !== undefined) return known
  const hex = typeof pattern === 'string' ? /^\^(sha256:)?\[0-9a-f\]\{(\d+)\}\$$/.exec(pattern) : null
  if (hex !== null) return `${hex[1] ?? ''}${'0123456789abcdef'.repeat(4).slice(0, Number(hex[2]))}`
  return 'text'.padEnd(Number(minLength ?? 0), '.')
}
