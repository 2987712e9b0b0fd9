import { text } from '#components/language/text.ts'

// Alarms.

export const foundAt = text(
  'Found <at>time</at>{many, select, true {, {times} times in all, last <last>time</last>} other {}}{inLog, select, true {} other {. Its record is missing from the audit log}}',
)
export const stopChangesToDatabase = text('Stop changes to the database and keep a copy of it.')
export const auditLogOfDiffers = text('The audit log of {subject} differs from what was signed.')
export const compareDayWithEarlier = text('{keepACopy} Compare the day with an earlier archive or with a witness.')
export const logOfClosedDays = text('The log of closed days differs from what was signed.')
export const compareClosedDaysWith = text(
  '{keepACopy} Compare the closed days with an earlier archive or with a witness.',
)
export const storedRowDiffersFrom = text('A stored row differs from the log.')
export const restoreRowFromBackup = text('Restore the row from a backup, or find out who changed it in the database.')
export const recordOfCouldNot = text('A record of {subject} could not be verified.')
export const compareRecordWithEarlier = text('{keepACopy} Compare the record with an earlier archive.')
export const exportWasStoppedAudit = text(
  'An export was stopped: the audit log of {subject} does not match its signature.',
)
export const noArchiveWasCreated = text(
  'No archive was created. Resolve the alarm about that day first, then export again.',
)
export const exportWasStoppedWhat = text('An export was stopped: what it read does not match the signed log.')
export const noArchiveWasPublished = text('No archive was published. Resolve the cause first, then export again.')
export const databaseAndSignersOwn = text('The signer’s own memory is missing, damaged, or older than the database.')
export const nothingIsSignedUntil = text(
  'Nothing is signed until an operator restores the memory, or accepts what the database has.',
)
export const auditLogIsNot = text('The audit log is not being signed.')
export const freeSpaceOnDisk = text(
  'Free space on the disk of the signer’s memory, or make its store reachable. Signing then continues by itself.',
)
export const endProcessesOfOlder = text(
  'End processes of an older version, and connections to the database under the name of a role of the service.',
)
export const closeWithReason = text('Close with a reason')
export const closingAlarm = text('Closing the alarm…')
export const keepItOpen = text('Keep it open')
export const closeThisAlarm = text('Close this alarm?')
export const closingItChangesNothing = text(
  '{title} Closing it changes nothing in the log. If the difference is found again, a new alarm is raised.',
)
export const whatWasFoundAnd = text(
  'What was found, and why it can be closed. {justificationHint} Stored in the audit record.',
)
export const alarmIsClosed = text('The alarm is closed.')
export const alarmWasNotClosed = text('The alarm was not closed.')
export const allAlarms = text('All alarms')
export const theAlarms = text('The alarms')
export const seeAlarms = text('see alarms')
export const openItsRecord = text('Open its record')
export const oneOpenAlarm = text('1 open alarm')
export const openAlarms = text('{many, select, true {99+} other {{count}}} open alarms')
export const alarmWasRaised = text('An alarm is open.')
export const alarmsCantBeRead = text('The alarms could not be loaded.')
export const showAlarms = text('Show')
export const alarms = text('Alarms')
export const audit = text('Audit')
export const alarmIsRaisedWhen = text(
  'An alarm is raised when stored evidence does not match the signed log. It stays open until a person closes it with a reason. Deleting rows from the database does not close it.',
)
export const open = text('Open')
export const closed = text('Closed')
export const loadingAlarms = text('Loading the alarms…')
export const noOpenAlarms = text('No open alarms.')
export const logIsReadAgain = text(
  'The log is read again at least once a day. A verification or an export that finds a difference also raises an alarm.',
)
export const closedAlarms = text('Closed alarms')
export const theClosed = text('The closed alarms')
export const noClosedAlarms = text('No closed alarms.')
export const closedAlarmsAreListed = text('Closed alarms are listed here, each with its reason.')
export const what = text('What')
export const found = text('Found')
export const times = text('Times')
export const closedBecause = text('Closed because')
export const closedBy = text('Closed by')

// Where data that was changed outside the server would be.

export const alarmSaysWhatToDo = text(
  'It can’t be loaded or changed until that is resolved. Its alarm says what to do.',
)
export const tellSomeone = text(
  'It can’t be loaded or changed until that is resolved. Tell {people}: an alarm says what to do.',
)
export const openTheAlarms = text('See the alarms')
export const noApprovalsToShow = text('No approvals can be shown here.')
export const askWhatIsMissing = text(
  'An alarm is open. If stored data was changed outside the server, approvals that belong here may be missing. Tell {people}: the alarm says what differs and what to do.',
)
export const someMayBeMissing = text(
  'An alarm is open. If stored data was changed outside the server, approvals that belong here may be missing. The alarm says what differs and what to do.',
)
