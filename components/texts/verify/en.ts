import { text } from '#components/language/text.ts'

// Verifying an archive in the browser: what it says of itself, and the five questions with their answers.

export const title = text('Verify an evidence archive')
export const intro = text(
  'The archive is read only in this browser: it isn’t uploaded, and you don’t need to sign in. The page requests this service’s public keys and the current head of its log to compare them with the archive.',
)
export const choose = text('Choose an archive')
export const chooseOther = text('Choose another archive')
export const dropIt = text('Drop the file to check it')
export const orDrop = text('or drop the ZIP anywhere on this page')
export const fingerprint = text('Key fingerprint (optional)')
export const fingerprintHint = text(
  'If you know the service’s key from another source, enter its 64 digits or its twelve words. Otherwise the archive is compared with the keys that this service publishes.',
)
export const adjacent = text('Another archive of the same organisation (optional)')
export const adjacentHint = text('The archive made directly before or after this one: both must tell of the same log.')
export const authority = text('Certificate of the time-stamping authority (optional)')
export const authorityHint = text('In PEM, from the authority itself. It matters only for archives with a time-stamp.')
export const witness = text('Key of a witness (optional)')
export const witnessHint = text(
  'From the witness itself, as name+id+base64. It shows that the witness saw the same log of closed days.',
)
export const checkAgain = text('Check again')
export const keyTitle = text('The key in words')
export const keyAbout = text(
  'Compare the key with someone who did not get it from this archive, such as the organisation’s security team. Both of you must read:',
)
export const keyFingerprint = text('key fingerprint')
export const invalid = text('This archive is not valid. Do not rely on it.')
export const everything = text('Everything agrees.')
export const everythingDemo = text('Everything agrees. A demo tenant: its times were chosen.')
export const partly = text('Nothing contradicts itself, but not everything could be checked.')
export const partlyDemo = text(
  'Nothing contradicts itself, but not everything could be checked. A demo tenant: its times were chosen.',
)
export const checking = text('Checking <shown>{name}</shown>')
export const stopped = text('Stopped at <shown>{name}</shown>')
export const read = text(', {percent} % read')
export const notRun = text('The check did not run.')
export const notRunEffect = text('{problem} This doesn’t mean that the archive is invalid.')
export const notRunAdvice = text('Load the page again, or use verify.html in the archive.')
export const notStarted = text('The check could not be started.')
export const ladder = text('One record’s way to the signed root: {action}, number {seq} of {size} on {date}')
export const ladderFrom = text('the record in this archive')
export const holds = text('Holds')
export const fails = text('Fails')
export const notChecked = text('Not checked')
export const checkHolds = text('holds.')
export const checkFails = text('fails.')
export const checkNotChecked = text('not checked.')
export const checksHold = text('{count, plural, one {# check holds} other {# checks hold}}')
export const integrity = text('Integrity')
export const integrityAsks = text('Are these the bytes that were sealed?')
export const origin = text('Origin')
export const originAsks = text('Did this service seal them?')
export const log = text('Log')
export const logAsks = text('Does every record belong to the signed log?')
export const completeness = text('Completeness')
export const completenessAsks = text('Is everything here that the log says must be here?')
export const freshness = text('Freshness')
export const freshnessAsks = text('Is its log part of the one that others see now?')
export const notSealed = text('Not sealed')
export const onlyClaimed = text('No signature covers what follows: it is only claimed.')
export const demo = text('Demo')
export const demoMark = text('A demo tenant: its times were chosen.')
export const archive = text('Archive')
export const organisation = text('Organisation')
export const period = text('Period')
export const requested = text('Requested')
export const range = text('{start} to {end} (UTC)')
export const limitedTo = text('Limited to')
export const sealed = text('Sealed')
export const atUtc = text('{time} (UTC)')
export const timeStamp = text('Time-stamp')
export const by = text('by {authority}')
export const contents = text('Contents')
export const records = text(
  '{kind, select, agents {agents} agent_owners {agent owners} agent_versions {agent versions} approvals {approvals} approval_questions {approval questions} approval_revisions {approval revisions} approval_terms {approval terms} approval_votes {approval votes} audit {audit records} batches {batches} decisions {decisions} executions {executions} execution_events {execution events} execution_spans {execution spans} execution_steps {execution steps} files {files} file_uses {file uses} input_events {input events} input_resolutions {input resolutions} input_waits {input waits} members {members} omissions {omissions} other_records {other records} policies {policies} policy_bindings {policy bindings} policy_names {policy names} releases {releases} resources {resources} spans {spans} standing_grants {standing grants} standing_grant_uses {standing grant uses} traces {traces} values {values} other {{kind}}} ({count})',
)
export const nothing = text('nothing')
export const sensitive = text('Sensitive values')
export const masked = text('masked')
export const unmasked = text('unmasked')
export const leftOut = text('Left out')
export const unreadable = text('The list can’t be read.')
export const omitted = text(
  '{count} {reason, select, erased {erased} masked {masked} retention_expired {retention expired} permission_denied {permission denied} too_large {too large} source_unavailable {source unavailable} integrity_failed {integrity failed} other {{reason}}}',
)
export const openDays = text('Days not closed')
