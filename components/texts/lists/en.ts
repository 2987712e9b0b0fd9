import { text } from '#components/language/text.ts'

// What every list has: filters, saved views, further pages, a file for spreadsheets, keys.

export const filter = text('{set, plural, =0 {Filter} other {Filter, # set}}')
export const moreFilters = text('{set, plural, =0 {More filters} other {More filters, # set}}')
export const showAll = text('Show all')
export const from = text('From (UTC)')
export const to = text('To (UTC)')
export const loading = text('Loading…')
export const showOlder = text('Show older entries')
export const showNewer = text('Show newer entries')
export const loadingOlder = text('Loading older entries…')
export const loadingNewer = text('Loading newer entries…')
export const next = text('{list, select, approvals {Next request} other {Next execution}}')
export const previous = text('{list, select, approvals {Previous request} other {Previous execution}}')
export const select = text('{list, select, approvals {Select the request} other {Select the execution}}')
export const selectTo = text(
  '{list, select, approvals {Select all up to this request} other {Select all up to this execution}}',
)
export const search = text('{list, select, approvals {Search in the requests} other {Search in the executions}}')
export const clearSelection = text('Clear the selection')
export const noneSelected = text(
  '{list, select, approvals {No request is selected.} other {No execution is selected.}}',
)
