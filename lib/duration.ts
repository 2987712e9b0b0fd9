const pattern = /^P(?:(\d+)D)?(?:T(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/

/** Seconds of an ISO 8601 duration in days, hours, minutes and seconds ("PT1H", "P3D"); undefined for anything else. */
export function durationSeconds(text: string): number | undefined {
  const match = pattern.exec(text)
  if (match === null || text.endsWith('P') || text.endsWith('T')) return undefined
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match
  return Number(days) * 86_400 + Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)
}
