import { text } from '#components/language/text.ts'

// Views that people save of lists.

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
