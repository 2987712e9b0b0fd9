import { isJsonObject, type JsonObject, type JsonValue } from '#lib/json.ts'

/** A file inside a value: `{"$file": "<id>"}`, to which the server adds name, mediaType, bytes and digest. */
export const isFileReference = (value: JsonValue | undefined): value is JsonObject & { $file: string } =>
  isJsonObject(value) && typeof value.$file === 'string'

/** The ids of all files that a value refers to, each once. */
export function filesIn(value: JsonValue): string[] {
  const found = new Set<string>()
  const walk = (at: JsonValue): void => {
    if (isFileReference(at)) found.add(at.$file)
    else if (typeof at === 'object' && at !== null) for (const inner of Object.values(at)) walk(inner)
  }
  walk(value)
  return [...found]
}

/** A copy of `value` in which each known file is replaced by the result of `describe`. */
export function describeFiles(value: JsonValue, describe: (id: string) => JsonObject | undefined): JsonValue {
  if (isFileReference(value)) return describe(value.$file) ?? value
  if (Array.isArray(value)) return value.map((inner) => describeFiles(inner, describe))
  if (!isJsonObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]): [string, JsonValue] => [key, describeFiles(inner, describe)]),
  )
}
