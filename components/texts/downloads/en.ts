import { text } from '#components/language/text.ts'

// Lists as files.

export const downloadCsv = text('Download CSV')
export const loadingRows = text(
  '{list, select, approvals {Loading {count} requests…} other {Loading {count} executions…}}',
)
export const fileFailed = text('The file could not be made. {problem}')
export const fileCut = text(
  '{list, select, approvals {The file has the first {most} requests of the list. The others are left out.} other {The file has the first {most} executions of the list. The others are left out.}}',
)
