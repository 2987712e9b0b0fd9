import { text } from '#components/language/text.ts'

// What several pages show of requests.

export const decided = text('Decided')
export const rejected = text('Rejected')
export const expired = text('Expired')
export const approved = text('Approved')
export const ofLastApproved = text(
  '{words} Of the last {amounts} approved, {none, select, true {none was} other {{larger, plural, one {1 was} other {{larger} were}}}} larger.',
)
export const smallerThanUsual = text('Smaller than usual')
export const withinUsualRange = text('Within the usual range')
export const largerThanUsual = text('Larger than usual')
export const timesMedian = text('{times} times the median')
export const clockStopped = text('Clock stopped')
export const expiredAt = text('Expired at {moment}')
export const expiresAt = text('Expires at {moment}')
export const expiresIn = text('Expires {left}, {moment}')
export const unknown = text('unknown')
export const needsMe = text('Needs me')
export const mine = text('Mine')
export const expiring = text('Expiring')
export const allPending = text('All pending')
export const pending = text('Pending')
export const canceled = text('Canceled')
export const mailIsNotSet = text('Mail is not set up on this server (SMTP_URL).')
