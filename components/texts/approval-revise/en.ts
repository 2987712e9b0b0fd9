import { text } from '#components/language/text.ts'

// Proposing other arguments after a review.

export const proposeOtherArgumentsUntil = text(
  'Propose other arguments until <at>time</at>. They are a new request, for which no earlier vote counts.',
)
export const maskedArguments = text(
  '{count, plural, one {One argument is} other {# arguments are}} masked or part of a list or an object, and can be changed only with the API.',
)
export const newRequestWasNot = text('The new request was not made.')
export const reloadThisPageTo = text('Reload this page to see whether another request followed.')
export const changeArgumentFirst = text('Change an argument first.')
export const proposing = text('Proposing…')
export const proposeTheseArguments = text('Propose these arguments')
export const containsHiddenOrLook = text('Contains hidden or look-alike characters: <shownText>{children}</shownText>')
