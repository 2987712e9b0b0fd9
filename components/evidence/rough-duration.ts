import * as t from '#components/texts/evidence/en.ts'

/** An estimate for people, as an end of "ready in …": `a few seconds`, `about 2 minutes`, `about 3 hours`. In seconds. */
export function roughDuration(seconds: number): string {
  if (seconds < 15) return t.fewSeconds
  if (seconds < 45) return t.aboutHalfMinute
  if (seconds < 90 * 60) return t.minutes({ minutes: Math.round(seconds / 60) })
  return t.hours({ hours: Math.round(seconds / 3600) })
}
