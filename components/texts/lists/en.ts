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
export const downloadCsv = text('Download CSV')
export const loadingRows = text(
  '{list, select, approvals {Loading {count} requests…} other {Loading {count} executions…}}',
)
export const fileFailed = text('The file could not be made. {problem}')
export const fileCut = text(
  '{list, select, approvals {The file has the first {most} requests of the list. The others are left out.} other {The file has the first {most} executions of the list. The others are left out.}}',
)
export const savedViews = text('Saved views')
export const shared = text('· shared')
export const sharedBy = text('· <shown>{name}</shown>')
export const saveView = text('Save this view…')
export const removeView = text('Remove this view…')
export const saveTitle = text('Save this view')
export const saveAbout = text(
  '{list, select, approvals {Keeps the filters, the order and the columns under a name.} other {Keeps the filters and the order under a name.}} A view of yours with the same name is replaced.',
)
export const save = text('Save the view')
export const saving = text('Saving the view…')
export const giveName = text('Give it a name.')
export const name = text('Name')
export const share = text(
  '{list, select, approvals {Share it with everyone who can see the approvals} other {Share it with everyone who can see the executions}}',
)
export const removeTitle = text('Remove this view')
export const removeAbout = text(
  '{shared, select, true {Everyone who uses it loses it. } other {}}{list, select, approvals {No approval changes.} other {No execution changes.}}',
)
export const remove = text('Remove the view')
export const removing = text('Removing the view…')
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
