import { formatCount } from '#lib/format.ts'

/** An estimate for people, as an end of "ready in …": `a few seconds`, `about 2 minutes`, `about 3 hours`. In seconds. */
export function roughDuration(seconds: number): string {
  if (seconds < 15) return 'a few seconds'
  if (seconds < 45) return 'about half a minute'
  if (seconds < 90 * 60) return `about ${formatCount(Math.round(seconds / 60), 'minute')}`
  return `about ${formatCount(Math.round(seconds / 3600), 'hour')}`
}
