import type { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'
import type { Omission } from '#lib/schemas/evidence.ts'
import { structureOf } from '#lib/verify/bytes.ts'

// A verifier reads each line as a whole and refuses one that is larger than any that the service writes (lib/verify/limits.ts).

/** Of one value, in characters of JSON. */
const largestValue = 4 * 1024 * 1024
/** Of all values in a line, in bytes and in values of JSON. The rest of the line has room for other members. */
const largestContent = 6 * 1024 * 1024
const mostValues = 400_000

/** What the values of one line may still need. */
export function lineRoom(): { fits(value: JsonValue): boolean } {
  let [bytes, values] = [largestContent, mostValues]
  return {
    fits(value) {
      const json = JSON.stringify(value)
      const [size, own] = [Buffer.byteLength(json), structureOf(json).values]
      if (json.length > largestValue || size > bytes || own > values) return false
      bytes -= size
      values -= own
      return true
    },
  }
}
export const isTooLarge = (value: JsonValue): boolean => !lineRoom().fits(value)

/** An omission, as lib/schemas/evidence.ts defines it. */
export type LeftOut = { resource: string; id?: string; reason: z.infer<typeof Omission>['reason'] }

/** Whether an archive contains what was requested. Values that are masked were not. */
export const isComplete = (leftOut: readonly LeftOut[]): boolean => leftOut.every(({ reason }) => reason === 'masked')

/** The number of omissions that the manifest and the job list. data/omissions.ndjson contains all. */
const listed = 100
/** Whole kinds first, which say the most. */
export const firstOmissions = (leftOut: readonly LeftOut[]): LeftOut[] =>
  leftOut.toSorted((one, other) => Number(one.id !== undefined) - Number(other.id !== undefined)).slice(0, listed)
