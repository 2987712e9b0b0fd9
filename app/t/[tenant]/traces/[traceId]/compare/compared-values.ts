import type { ChangedSide, ChangedValue } from '#components/json/changed-values.tsx'
import type { JsonValue } from '#lib/json.ts'
import { argumentRows } from '#lib/rules/effect.ts'
import { erasedText } from '#lib/rules/erased.ts'
import type { Span } from '#lib/schemas/traces.ts'

type Attribute = Span['attributes'][number]

/** What differs between attributes, and what can't be compared. */
export type ComparedValues = { changed: ChangedValue[]; masked: number; same: number }

/** Compares attributes value by value, also those inside JSON texts. */
export function compareValues(first: readonly Attribute[], second: readonly Attribute[]): ComparedValues {
  const [one, other] = [rowsOf(first), rowsOf(second)]
  const found: ComparedValues = { changed: [], masked: 0, same: 0 }
  for (const path of new Set([...one.keys(), ...other.keys()])) {
    const [before, after] = [one.get(path) ?? null, other.get(path) ?? null]
    if (before !== null && after !== null && (before.masked !== undefined || after.masked !== undefined))
      found.masked += 1
    else if (before !== null && after !== null && JSON.stringify(before.value) === JSON.stringify(after.value))
      found.same += 1
    else found.changed.push({ path, before, after })
  }
  return found
}

function rowsOf(attributes: readonly Attribute[]): Map<string, NonNullable<ChangedSide>> {
  const rows = new Map<string, NonNullable<ChangedSide>>()
  for (const { key, value, masked, erased } of attributes) {
    if (masked !== undefined) rows.set(key, { masked })
    else if (erased === true) rows.set(key, { value: erasedText, erased: true })
    else for (const row of argumentRows(parsed(value ?? null), key)) rows.set(row.path, row)
  }
  return rows
}

/** Telemetry often has JSON as a text. */
function parsed(value: JsonValue): JsonValue {
  if (typeof value !== 'string' || !/^[[{]/.test(value)) return value
  try {
    return JSON.parse(value) as JsonValue
  } catch {
    // A text that only begins like JSON.
    return value
  }
}
