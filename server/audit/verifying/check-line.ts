import type { z } from 'zod'
import type { Check } from '#lib/schemas/traces.ts'

export type Checks = z.infer<typeof Check>[]

/** One line of a verification: `detail` describes the result. */
export const check = (name: string, ok: boolean, holds: string, fails = holds): Checks[number] => ({
  name,
  ok,
  detail: ok ? holds : fails,
})
