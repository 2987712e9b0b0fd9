import { text } from '#components/language/text.ts'

// Legal holds, retention and erasures.

export const contentUnderLegalHold = text(
  'Content under a legal hold is neither erased nor deleted by age until the hold is released. A hold takes precedence over a running erasure, too.',
)
export const placeHold = text('Place a hold')
export const seeLegalHolds = text('see legal holds')
export const legalHolds = text('Legal holds')
export const theLegal = text('The legal holds')
export const noLegalHolds = text('No legal holds.')
export const placeHoldOnTrace = text(
  'Place a hold on a trace or on a period when its content may be needed in a dispute or an investigation.',
)
export const covers = text('Covers')
export const state = text('State')
export const inForce = text('In force')
export const released = text('Released')
export const reason = text('Reason')
export const releasedBecause = text('Released: <shown>{releaseReason}</shown>')
export const placedBy = text('Placed by')
export const placed = text('Placed')
export const actions = text('Actions')
export const allOfPeriod = text('{oneDay, select, true {{from}} other {{from} to {to}}} (UTC), all content')
export const trace = text('Trace <code>{id}…</code>')
export const fromTo = text('{from} to {to}')
export const release = text('Release')
export const releasingHold = text('Releasing the hold…')
export const keepHold = text('Keep the hold')
export const releaseHoldOn = text('Release the hold on {name}?')
export const itsContentCanBe = text(
  'Its content can be erased again, and is deleted when it is older than the retention period. A released hold can’t be restored. Erasures that have ended do not start again: request them again if content that they left must be erased.',
)
export const holdOn = text(' the hold on {name}')
export const holdIsReleased = text('The hold is released.')
export const holdWasNotReleased = text('The hold was not released.')
export const holdIsInForce = text('The hold is in force.')
export const placeLegalHold = text('Place a legal hold')
export const fromNowOnWhat = text(
  'From now on, what it covers is neither erased nor deleted by age. Content that is already erased can’t be restored.',
)
export const placeThe = text('Place the hold')
export const placingHold = text('Placing the hold…')
export const whatItCovers = text('What it covers')
export const oneTrace = text('One trace')
export const traceAndExecutionThat = text('The trace, and the execution that it belongs to.')
export const aPeriod = text('A period')
export const allContentThatBegan = text('All content that began on these days, in UTC.')
export const traceId = text('Trace ID')
export const traceIdHint = text('32 hexadecimal digits, from the page of the trace.')
export const requiredStoredPermanentlyIn = text('Required. Stored permanently, in the audit record.')
export const chooseWhatHoldCovers = text('Choose what the hold covers.')
export const enterIdOfTrace = text('Enter the ID of a trace.')
export const seeWhatWasDeleted = text('see what was deleted')
export const deletionsByRetention = text('Deletions by retention')
export const theDeletions = text('The deletions')
export const nothingWasDeletedYet = text('Nothing was deleted yet.')
export const deletionsAppearHereWhen = text('Deletions appear here when content is older than the retention period.')
export const content = text('Content')
export const deleted = text('Deleted')
export const contentOf = text(
  '{table, select, approvals {approvals} executions {executions} policy_decisions {policy decisions} input_events {inputs} mails {mails} idempotency_keys {kept answers} other {{table}}}',
)
export const retention = text('Retention')
export const contentOlderThanRetention = text(
  'Content older than the retention period is deleted automatically, except under a legal hold. Each deletion is recorded.',
)
export const theRule = text('The rule')
export const contentIsDeletedAfter = text('Content is deleted after')
export const neverNoPeriodIs = text('Never: no period is set')
export const days = text('{days, plural, one {# day} other {# days}}')
export const archivesAreDeletedAfter = text('Evidence archives are deleted after')
export const exceptions = text('Exceptions')
export const changeIt = text('Change it')
export const settingsOfOrganisationShorter = text(
  '<link>Settings of the organisation</link>. A shorter period needs approval.',
)
export const whatItDeletes = text('What it deletes')
export const whatRetentionDeletes = text('What retention deletes')
export const countedFrom = text('Counted from')
export const whatStays = text('What stays')
export const lastDeletions = text('Last deletions')
export const deletedDaysOfTraces = text('Deleted days of traces')
export const executionsInputOutputSteps = text(
  'Executions: input, output, steps, events, requests, decisions, received input',
)
export const endOfExecution = text('The end of the execution')
export const statesTimesDigestsAnd = text('States, times, digests and audit records')
export const requestsAndDecisionsOutside = text('Requests and decisions outside of an execution')
export const theDecision = text('The decision')
export const tracesAndTheirSpans = text('Traces and their spans')
export const dayOfTheirFirst = text('The day of their first span')
export const auditRecordOfEach = text('The audit record of each batch')
export const mails = text('Mails')
export const theirCreation = text('Their creation')
export const recipientStateAndTimes = text('Recipient state and times')
export const files = text('Files')
export const theirCreationOnceNo = text('Their creation, once no execution needs them')
export const sizeTypeAndDigest = text('Size, type and digest')
export const archivesOfEvidence = text('Evidence archives, by a period of their own')
export const theirCompletion = text('Their completion')
export const jobManifestAndDigests = text('The job, the manifest and the digests')
export const loading = text('Loading…')
export const noLegalHoldIs = text('No legal hold is in force')
export const legalHoldsInForce = text('{legalHolds, plural, one {# legal hold} other {# legal holds}} in force')
export const erasureWasRequestedIts = text('The erasure was requested. Its state is shown in the list.')
export const erasePersonsData = text('Erase a person’s data')
export const everyValueThatContains = text(
  'Every value of content that contains this text, in upper or lower case, is removed permanently. Reasons, questions and answers that people wrote, names and the audit log stay. Content under a legal hold stays, and content in progress is erased when it ends.',
)
export const erasePermanently = text('Erase permanently')
export const requestingErasure = text('Requesting the erasure…')
export const textThatIdentifiesPerson = text('Text that identifies the person')
export const forExampleEMail = text(
  'For example an e-mail address or a customer number. Other spellings are not found. The text itself is deleted when the erasure has ended.',
)
export const requiredStoredPermanentlySo = text('Required. Stored permanently, so it must not name the person.')
export const iHaveCheckedText = text('I have checked the text. The erasure can’t be undone.')
export const enterAtLeastCharacters = text('Enter at least {shortest} characters: a shorter text would match too much.')
export const enterAtMostCharacters = text('Enter at most {longest} characters.')
export const reasonContainsTextTo = text(
  'The reason contains the text to erase. It is stored permanently, so describe the request without it.',
)
export const confirmThatYouHave = text('Confirm that you have checked the text.')
export const markedNotDeleted = text('marked, not deleted')
export const keptUnderLegalHold = text('kept under a legal hold')
export const notSearchedYet = text('Not searched yet')
export const noneFound = text('None found')
export const more = text('{rest} more')
export const waitsFor = text(
  'Waits for {objects, plural, one {# object} other {# objects}} in progress. Each is erased when it ends: <list>list</list>',
)
export const deletedInSentence = text('deleted')
export const subjectKeyed = text('the subject, keyed')
export const traceNamed = text('trace {trace}')
export const recordsWithSubjectAre = text(
  '{records, plural, one {# record} other {# records}} with the subject {held, plural, one {is} other {are}} under a <link>legal hold</link>. After its release, request the erasure again.',
)
export const recordsCouldNotBe = text(
  '{records, plural, one {# record} other {# records}} could not be decrypted and searched. See the <link>alarms</link>.',
)
export const completed = text('Completed')
export const completedSomeContentRemains = text('Completed, some content remains')
export const waiting = text('Waiting')
export const searching = text('Searching')
export const erasureRemovesEveryValue = text(
  'An erasure removes every value that contains a person’s data from the content of executions, requests, traces, mails and files. Digests and proofs remain, as do the reasons, questions and answers that people wrote, names and the audit log. Evidence archives are searched, too: each one with the data is listed, and deleted or marked as the organisation’s settings state.',
)
export const seeErasures = text('see erasures')
export const erasures = text('Erasures')
export const theErasures = text('The erasures')
export const noErasures = text('No erasures.')
export const requestOneWhenPerson = text(
  'Request one when a person asks for their data to be erased. It runs in the background and is recorded.',
)
export const subjectShortdigest = text('Subject <shortDigest>shortDigest</shortDigest>')
export const erased = text('Erased')
export const values = text('{values, plural, one {# value} other {# values}}')
export const inSpansAndOther = text(
  'in {spans, plural, one {# span} other {# spans}} and {otherRecords, plural, one {# other record} other {# other records}}',
)
export const archives = text('Archives')
export const requestedBy = text('Requested by')
export const requested = text('Requested')
export const ended = text('Ended')
export const privacy = text('Privacy')
