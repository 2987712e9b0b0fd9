import { text } from '#components/language/text.ts'

// What the browser shows while the page is not in view.

export const newRequestsNeedYou = text('{fresh} new requests need you')
export const decisionRequested = text('Decision requested')
