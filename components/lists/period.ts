/** Two whole days in UTC, `YYYY-MM-DD`; '' is no limit. */
export type Days = { from: string; to: string }

/** What an address says, or '' for what is no day that a list can begin or end with. */
export const dayFrom = (text: string | null): string =>
  text !== null && /^\d{4}-\d\d-\d\d$/.test(text) && text >= '1970' && !Number.isNaN(Date.parse(text)) ? text : ''

/** As lists take it: [from, to) in ISO 8601, so that the last day is a part of it. */
export function periodOf({ from, to }: Days): { from?: string; to?: string } {
  const after = (day: string) => new Date(Date.parse(day) + 86_400_000).toISOString()
  return {
    ...(from === '' ? {} : { from: new Date(from).toISOString() }),
    ...(to === '' || to === '9999-12-31' ? {} : { to: after(to) }),
  }
}
