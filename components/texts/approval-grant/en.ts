import { text } from '#components/language/text.ts'

// Standing grants, as a request proposes them.

export const atMostForEach = text('{shownName}, at most for each call, {currency}')
export const sameAsHereMasked = text('the same as here (masked)')
export const likePattern = text('like a pattern')
export const anyValue = text('any value')
export const patternFor = text('Pattern for {shownName}')
export const isAnyTextHere = text('* is any text. Here: <shown>{value}</shown>')
export const proposeStandingGrant = text('Propose a standing grant…')
export const callsLikeThisOne = text(
  'Calls like this one then run without a person, until the grant ends. A second member of the group decides on it.',
)
export const anotherMemberOfDecides = text('Another member of {group} decides on it.')
export const conditionsForEachArgument = text('Conditions for each argument')
export const inTotal = text('In total, {currency}')
export const calls = text('Calls')
export const atMost = text('At most {most}.')
export const endsAfter = text('Ends after')
export const reason = text('Reason')
export const secondPersonReadsIt = text('The second person reads it in the audit record.')
export const fillInEachLimit = text('Fill in each limit.')
export const theseTermsCantBe = text('These terms can’t be proposed.')
export const giveReason = text('Give a reason.')
export const whatItWouldHave = text('What it would have meant')
export const fillIn = text('Fill in each limit to see what the grant would have meant.')
export const rejectedOnes = text('Rejected:')
export const pastNone = text('No one decided a request for this action in the last 90 days.')
export const pastDecided = text(
  'In the last 90 days, people decided {requests, plural, one {one request} other {# requests}} for this action.',
)
export const pastNoneMatched = text(
  '{requests, plural, one {It would not have run under the grant.} other {None of them would have run under the grant.}}',
)
export const pastMatched = text(
  '{of, select, it {It} all {All of them} other {{matched, plural, one {# of them} other {# of them}}}} would have run under the grant: {outcome, select, approved {people approved {approved, plural, one {it} other {all #}}} rejected {people rejected {rejected, plural, one {it} other {all #}}} other {people approved {approved} and rejected {rejected}}}.',
)
export const oneDay = text('One day')
export const days = text('{days} days')
export const exactly = text('exactly {value}')
