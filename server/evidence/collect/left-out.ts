import type { z } from 'zod'
import type { JsonValue } from '#lib/json.ts'
import type { Omission } from '#lib/schemas/evidence.ts'

/** In characters of JSON: a verifier reads each line as a whole. */
const largestValue = 4 * 1024 * 1024
export const isTooLarge = (value: JsonValue): boolean => JSON.stringify(value).length > largestValue

/** An omission, as lib/schemas/evidence.ts defines it. */
export type LeftOut = { resource: string; id?: string; reason: z.infer<typeof Omission>['reason'] }

/** Whether an archive contains what was requested. Values that are masked were not. */
export const isComplete = (leftOut: readonly LeftOut[]): boolean => leftOut.every(({ reason }) => reason === 'masked')
