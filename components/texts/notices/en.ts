import { text } from '#components/language/text.ts'

// What the browser shows while the page is not in view; part of every page.

export const thisBrowserCantShow = text('This browser can’t show notices.')
export const thisBrowserBlocksNotices = text('This browser blocks notices of this site. Allow them in its settings.')
export const newRequestsNeedYou = text('{fresh} new requests need you')
export const decisionRequested = text('Decision requested')
