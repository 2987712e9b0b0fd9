import { text } from '#components/language/text.ts'

// The columns and the density of the inbox.

export const amount = text('Amount')
export const risk = text('Risk')
export const requestedBy = text('Requested by')
export const agent = text('Agent')
export const againstUsual = text('Against usual')
export const requested = text('Requested')
export const expires = text('Expires')
export const waitingFor = text('Waiting for')
export const compact = text('Compact')
export const comfortable = text('Comfortable')
