/** Two whole days in UTC, `YYYY-MM-DD`; '' means unlimited. */
export type Days = { from: string; to: string }

/** Returns the day from the address, or '' if it is not a valid first or last day. */
export const dayFrom = (text: string | null): string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && text >= '1970' && !Number.isNaN(Date.parse(text)) ? text : ''

/** Returns the filter of a list: [from, to) in ISO 8601, so that the last day is included. */
export function periodOf({ from, to }: Days): { from?: string; to?: string } {
  const after = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString()
  return {
    ...(from === '' ? {} : { from: new Date(from).toISOString() }),
    ...(to === '' || to === '9999-12-31' ? {} : { to: after(to) }),
  }
}
