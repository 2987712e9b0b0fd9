import { text } from '#components/language/text.ts'

// One export of evidence.

export const organisationsRetentionOfArchives = text(
  'The organisation’s retention of archives deleted this archive <at>time</at>. This page, the manifest and the digests are kept.',
)
export const erasureDeletedThisArchive = text(
  'An erasure deleted this archive, because it contained the erased data: <at>time</at>. This page, the manifest and the digests are kept.',
)
export const thisArchiveContainsData = text(
  'This archive contains data that was erased after it was made. Pass it on only if the erasure allows that.',
)
export const itIsNotDeleted = text(
  'A download that breaks off continues where it stopped (with curl: -C -). It is not deleted by age.',
)
export const keptUntilTimeOr = text(
  'A download that breaks off continues where it stopped (with curl: -C -). Kept until <at>time</at>, or for as long as a legal hold protects it.',
)
export const typeAndFormat = text('{type}, format {format}')
export const recordsUnchanged = text('{problem} The records themselves were not changed.')
export const sealed = text('Sealed')
export const verdictDiffers = text(
  '{title} {before, select, holds {is confirmed} fails {fails} other {is not checked}} for the archive and {after, select, holds {is confirmed} fails {fails} other {is not checked}} for the copy.',
)
export const type = text('Type')
export const sha256 = text('SHA-256')
export const sha256OfZip = text('SHA-256 of the ZIP')
export const downloads = text('Downloads')
export const manifest = text('Manifest')
export const sha256OfManifest = text('SHA-256 of manifest.json')
export const sameCheckOnYourMachine = text('The same check on your own machine')
export const nodeVerifyMjs = text('unzip -jo {name} "*/verify.mjs" && node verify.mjs {name}')
export const commandOfVerifier = text('command of the verifier')
export const archiveContainsVerifyMjs = text(
  'Run this command where the archive was saved. The archive contains verify.mjs, one file that needs only Node. Or drop the archive on <a>the verify page</a>: nothing is uploaded.',
)
export const cancelExport = text('Cancel the export')
export const cancelThisExport = text('Cancel this export?')
export const noArchiveWillBe = text(
  'No archive will be created, and the collected records are discarded. You can request a new export at any time.',
)
export const keepExporting = text('Keep exporting')
export const cancelingExport = text('Canceling the export…')
export const exportWasNotCanceled = text('The export was not canceled.')
export const exportIsCanceled = text('The export is canceled.')
export const archivesFormChain = text('Archives form a chain')
export const thisOneWhoseLog = text('This archive. Its log continues the ones below.')
export const onlyThisArchive = text('This archive')
export const noArchiveWasMade = text('No archive was made before it.')
export const earlierArchive = text('An earlier archive')
export const byTime = text(
  'by <shown>{requestedBy}</shown>, <at>time</at>{deleted, select, true {; the archive was deleted} other {}}',
)
export const earlierOnesFollowOn = text('Earlier ones follow on its page.')
export const youDontHaveTo = text(
  'You don’t have to trust this page. If sha256sum and OpenSSL 3 are installed, these commands verify the archive offline. You can also open verify.html in the archive, or use the page <a>Verify an evidence archive</a>, which doesn’t upload the file.',
)
export const fingerprintIsPublished = text(
  'The service publishes the fingerprint in its <keys>list of keys</keys>. Compare it with the one that you, or someone you trust, noted before: not with anything in the archive, and not only with this page.',
)
export const unpacksArchive = text('Unpacks the archive.')
export const everyLineMustEnd = text('Every line must end in OK: the files below data/ are unchanged.')
export const everyLine = text('Every line must end in OK: the files that describe the archive are unchanged.')
export const mustPrintSignatureVerified = text(
  'Must print “Signature Verified Successfully”: the holder of the key signed exactly this manifest.json.',
)
export const mustPrint1Seal = text('Must print 1: the seal covers the list of the files below data/.')
export const mustPrintDescriptionVerified = text(
  'Must print “Signature Verified Successfully”: the same key signed the list of the files that describe the archive, such as README.txt and verify.html.',
)
export const printsFingerprintOfKey = text('Prints the fingerprint of the key. Compare it as described below.')
export const loadingManifest = text('Loading the manifest…')
export const theManifest = text('The manifest')
export const seeEvidenceExports = text('see evidence exports')
export const recordsInLog = text(
  '{day}: {records, plural, one {# record} other {# records}} in the log{open, select, true {, day not closed yet} other {}}',
)
export const daysInLog = text(
  '{days, plural, one {# day} other {# days}} with {records, plural, one {# record} other {# records}} in the log',
)
export const daysOfLog = text('Days of the log')
export const day = text('Day (UTC)')
export const dayState = text('State')
export const dayOpen = text('Not closed yet')
export const dayEnded = text('Closed')
export const filesUnpacked = text('{files, plural, one {# file} other {# files}}, {bytes} unpacked')
export const filesOfArchive = text('Files of the archive')
export const file = text('File')
export const records = text('Records')
export const size = text('Size')
export const sha256Of = text('SHA-256 of {path}')
export const zipArchive = text('ZIP archive')
export const downloadWasInterrupted = text('The download was interrupted.')
export const savingSoFar = text('Saving ({received} so far)…')
export const downloadArchive = text('Download the archive{size}')
export const saved = text('Saved. ')
export const isInYourBrowsers = text('{name} is in your browser’s downloads. ')
export const downloadIsRecordedIn = text('The download is recorded in the audit log.')
export const archiveWasNotSaved = text('The archive was not saved.')
export const ifPartOfFile = text('{message} If part of the file was saved, delete it.')
export const none = text('None')
export const allDownloads = text('All downloads')
export const evidenceExport = text('Evidence export')
export const evidence = text('Evidence')
export const exportId = text('export ID')
export const loadingExport = text('Loading the export…')
export const theExport = text('The export')
export const progress = text('Progress')
export const evidenceOf = text('Evidence of {job}')
export const theArchive = text('The archive')
export const askForSameAgain = text('Ask for the same again')
export const proofsAndMasking = text(
  '{proofs, select, true {With proofs} other {Without proofs}}, sensitive values {raw, select, true {unmasked} other {masked}}',
)
export const forPurpose = text('For <strong><shown>{purpose}</shown></strong>')
export const canceled = text('Canceled')
export const noArchiveWasCreated = text(
  'No archive was created. The audit log records who canceled the export, and why.',
)
export const archiveCouldNotBe = text('The archive could not be created.')
export const logDoesNotMatch = text(
  'The log does not match its own hashes. Notify the operator of this installation immediately.',
)
export const askFor = text('Ask for the same again.')
export const masked = text('Masked')
export const missingFromArchive = text('Missing from the archive')
export const verifyHere = text('Verify here')
export const contents = text('Contents')
export const verifyItYourself = text('Verify it yourself')
export const retentionPeriodHasEnded = text('The retention period has ended.')
export const erasedAtPersonsRequest = text('Erased at a person’s request.')
export const contentIsMaskedExport = text('The content is masked. An export with raw payloads contains it.')
export const memberWhoRequestedExport = text('The member who requested the export may no longer read it.')
export const itDoesNotMatch = text('It does not match its recorded hash.')
export const itCouldNotBe = text('It could not be read at the time of the export.')
export const valueIsLargerThan = text('A value is larger than an archive may contain.')
export const onlyFirstOmissions = text(
  'These are the first {shown, number} of {all, number} omissions. The archive lists all of them in data/omissions.ndjson.',
)
export const maskedValues = text('Masked values')
export const sensitiveValuesInArchive = text(
  'Sensitive values in {listOf}. The archive contains a commitment to each value; an export with raw payloads contains the values.',
)
export const missing = text('Missing')
export const allUnmaskedValues = text('All unmasked values')
export const all = text('All {resource}')
export const reason = text('Reason')
export const which = text('Which')
export const ids = text('{ids, plural, one {# ID} other {# IDs}}')
export const idIn = text('ID in the {resource}')
export const checkingLogAgainstIts = text('Checking the log against its signatures')
export const collectingRecordsOfRange = text('Collecting the records of the range')
export const writingAndSigningManifest = text('Writing and signing the manifest')
export const verifyingArchiveAsIts = text('Verifying the archive as its recipients will')
export const storingArchive = text('Storing the archive')
export const waitingForFreeWorker = text('Waiting for a free worker')
export const resumeChecking = text('Resume checking')
export const exportIsStillIn = text(
  'The export is still in progress, but this page stopped checking after {minutes}. The export continues either way.',
)
export const doneOf = text('{done} of {all}')
export const counted = text(
  '{unit, select, days {{count, plural, one {# day} other {# days}}} records {{count, plural, one {# record} other {# records}}} other {{count, plural, one {# file} other {# files}}}}',
)
export const countedOf = text(
  '{done} of about {unit, select, days {{count, plural, one {# day} other {# days}}} records {{count, plural, one {# record} other {# records}}} other {{count, plural, one {# file} other {# files}}}}',
)
export const reportIsInYour = text('The report is in your downloads.')
export const thisArchiveWasMade = text('This archive was made by a version that wrote no report.')
export const reportCouldNotBe = text(
  'The report could not be read from the archive. Verify the archive here to see what was changed.',
)
export const readerNotLoaded = text(
  'The archive is here, but what reads its report could not be loaded. Check the connection, then try again.',
)
export const downloadingSoFar = text('Downloading ({received} so far)…')
export const readingReport = text('Reading the report…')
export const reportForPeople = text('Report for people')
export const howArchiveCameAbout = text('How the archive came about')
export const notYet = text('not yet')
export const asked = text('Asked')
export const logChecked = text('Log checked')
export const collected = text('Collected')
export const verified = text('Verified')
export const kept = text('Kept')
export const daysWithoutGap = text('{days, plural, one {# day} other {# days}}, no gap')
export const recordsAndObjects = text(
  '{records, plural, one {# record} other {# records}}, {objects, plural, one {# object} other {# objects}}',
)
export const filesPacked = text('{files, plural, one {# file} other {# files}}, {bytes}')
export const byItsOwnVerifier = text('by its own verifier')
export const ofOrganisation = text('Organisation <strong><shown>{name}</shown></strong>')
export const coversOnly = text(
  'Covers {covered}: the log had nothing of the rest of the period when the archive was made',
)
export const tamperWithCopy = text('Tamper with a copy')
export const offeredInDemoOnly = text(
  'Offered in the demo only. Change something in a copy of this archive and see which verdict notices it. The copy is in this browser and is deleted with this page; the archive stays as it is.',
)
export const archiveCantBeChanged = text('The archive can’t be changed.')
export const itsFilesCouldNot = text('Its files could not be read here.')
export const loadPageAgain = text('Load the page again.')
export const readingArchive = text('Reading the archive…')
export const whatToChange = text('What to change')
export const howFarForgerGoes = text('How far the forger goes')
export const changeIt = text('Change it')
export const listsOfHashesStay = text('The lists of hashes stay as they were.')
export const changeItAndRecalculate = text('Change it and recalculate the lists')
export const everyListOfHashes = text('Every list of hashes agrees with the changed file. The signatures stay.')
export const changeItRecalculateLists = text('Change it, recalculate the lists, and sign again')
export const withNewKeyBecause = text('With a new key, because the forger does not have the one of the service.')
export const chooseWhatToChange = text('Choose what to change.')
export const verifyingCopy = text('Verifying the copy…')
export const changeCopyAndVerify = text('Change the copy and verify it')
export const recordWasDeleted = text('In <code>{path}</code>, the record <shown>{before}</shown> was deleted.')
export const became = text(
  'In <code>{path}</code>, <del><shown>{before}</shown></del> became <ins><shown>{after}</shown></ins>.',
)
export const changedCopy = text('the changed copy')
export const reasonOfDecision = text('The reason of a decision')
export const oneLetterOfWhat = text('One letter of what a person wrote.')
export const thisArchiveDoesNot = text('This archive does not contain a reason.')
export const anAmount = text('An amount')
export const oneDigitOfWhat = text('One digit of what was requested, or of a policy’s limit.')
export const thisArchive = text('This archive does not contain an amount.')
export const deleteRecordOfLog = text('Delete a record of the log')
export const newestDecisionDisappearsFrom = text('The newest decision disappears from the log of its day.')
export const thisArchiveDoes = text('This archive does not contain records of the log.')
export const theSignature = text('The signature')
export const oneBitOfSignature = text('One bit of the signature of the manifest.')
export const thisArchiveDoesNotContain = text('This archive does not contain a signature.')
export const noVerdictDiffersFrom = text('No verdict differs from those on the archive itself.')
export const compareWithMore = text('Compare it with more than the published keys')
export const verifyAgain = text('Verify again')
export const compareKey = text('Compare the key')
export const withSomeoneWhoDid = text(
  'With someone who did not get it from this archive or this page, or with the <a>published keys</a> opened from another network. Both of you must read:',
)
export const thisBrowserDownloadsArchive = text(
  'This browser downloads the archive, hashes every file, and checks signatures, records and closed days itself. Nothing is uploaded. The audit log records the download.',
)
export const verifyArchiveHere = text('Verify the archive here')
export const theArchiveCould = text('The archive could not be downloaded.')
export const thisDoesntMeanThat = text('{message} This doesn’t mean that it is invalid.')
export const loadingVerifier = text('Loading the verifier…')
export const commandNumber = text('command {number}')
