import { text } from '#components/language/text.ts'

// Your own settings: passkeys, sessions, absences, permissions.

export const thisDayHasAlready = text('This day has already ended in UTC. Choose a later one.')
export const absenceCanLastUp = text('An absence can last up to {longestDelegationDays} days.')
export const nameDelegate = text('name a delegate')
export const nameA = text('Name a delegate')
export const absences = text('Absences')
export const theAbsences = text('The absences')
export const seeAbsences = text('see absences')
export const noAbsences = text('No absences.')
export const nameAnotherApproverAs = text(
  'Name another approver as your delegate to decide requests during your absence. Each such decision is recorded as made in your place.',
)
export const planned = text('Planned')
export const now = text('Now')
export const past = text('Past')
export const endedEarly = text('Ended early')
export const delegate = text('Delegate')
export const inYourPlace = text('{delegate} in your place')
export const youInPlaceOf = text('You, in place of {delegator}')
export const state = text('State')
export const from = text('From')
export const until = text('Until')
export const reason = text('Reason')
export const actions = text('Actions')
export const endAbsenceOf = text('End<hidden> the absence of {delegator}</hidden>')
export const passkeyWasAdded = text('The passkey {passkey} was added.')
export const addPasskey = text('Add a passkey')
export const yourDeviceCreatesPasskey = text(
  'Your device creates the passkey and keeps its private key. Countersign stores only the public key. If you already have a passkey, you confirm with it first.',
)
export const addThe = text('Add the passkey')
export const waitingForYourDevice = text('Waiting for your device…')
export const enterName = text('Enter a name.')
export const nameCanHaveAt = text('A name can have at most {passkeyName} characters.')
export const name = text('Name')
export const chooseNameThatYou = text('Choose a name that you will recognise, such as “Laptop” or “Blue security key”.')
export const isNoLongerDelegate = text('{delegate} is no longer the delegate of {delegator}.')
export const endAbsence = text('End the absence')
export const canNoLongerDecide = text(
  '{delegate} can no longer decide in place of {delegator}. Decisions made so far remain valid.',
)
export const endAbsenceNow = text('End the absence now')
export const endingAbsence = text('Ending the absence…')
export const unknownDeviceInSentence = text('the unknown device')
export const signedOut = text('You are signed out {all, select, true {everywhere else} other {on {device}}}.')
export const signOutEverywhereElse = text('Sign out everywhere else')
export const signOutThere = text('Sign out there')
export const willBeSignedOut = text(
  'You will be signed out {all, select, true {everywhere else} other {on {device}}}, immediately. What was typed there and not sent is lost.{programs, select, true { Programs that you allowed there lose access.} other {}} If you did not sign in there, change your password, too.',
)
export const console = text('console')
export const signingOut = text('Signing out…')
export const you = text('You')
export const passkeys = text('Passkeys')
export const yourPasskeys = text('Your passkeys')
export const noPasskeys = text('No passkeys.')
export const addPasskeyToApprove = text(
  'Add a passkey to approve risky requests if your organisation requires it. Your device signs exactly the request that you read.',
)
export const stored = text('Stored')
export const syncedBetweenYourDevices = text('Synced between your devices')
export const onOneDevice = text('On one device')
export const added = text('Added')
export const lastUsed = text('Last used')
export const never = text('Never')
export const removePasskey = text('Remove<hidden> the passkey {passkey}</hidden>')
export const youDontHaveAny = text('You don’t have any permissions yet.')
export const askTenantAdministratorFor = text('Ask a tenant administrator for a role.')
export const permissions = text('Permissions')
export const youCan = text('You can')
export const permission = text('Permission')
export const grantedByRole = text('Granted by role')
export const isYourDelegate = text('{delegate} is your delegate.')
export const isYourDelegateWithout = text(
  '{delegate} is your delegate, but is in all of your groups already and votes there, once. Name someone else to have your vote covered.',
)
export const duringYourAbsenceDelegate = text(
  'During your absence, the delegate can decide the requests to your groups, including those that are already open, but never your own requests. You can still decide, too.',
)
export const nameThe = text('Name the delegate')
export const namingDelegate = text('Naming the delegate…')
export const userNameOrE = text('The user name or e-mail address of another approver.')
export const storedInAuditRecord = text('Stored in the audit record.')
export const enterDelegate = text('Enter the delegate.')
export const passkeyWasRemoved = text('The passkey {passkey} was removed.')
export const removeThe = text('Remove the passkey')
export const youCanNoLonger = text(
  'You can no longer confirm approvals with {passkey}. Confirm the removal with any of your passkeys. If you have lost all of them, ask a tenant administrator to reset your sign-in, which removes them.',
)
export const waitingForYourPasskey = text('Waiting for your passkey…')
export const loadingYourSessions = text('Loading your sessions…')
export const yourSessions = text('Your sessions')
export const noSessions = text('No sessions.')
export const organisationOrIdentityProvider = text(
  'The organisation or identity provider where you signed in manages your sessions.',
)
export const commandLine = text('command line')
export const device = text('Device')
export const unknownDevice = text('Unknown device')
export const thisBrowser = text('This browser')
export const usedFor = text('Used for')
export const nothingYet = text('Nothing yet')
export const lastAddress = text('Last address')
export const unknown = text('Unknown')
export const signedIn = text('Signed in')
export const signOutHidden = text('Sign out<hidden>hidden</hidden>')
export const yourMembership = text('Your membership')
export const organisation = text('Organisation')
export const userName = text('User name')
export const roles = text('Roles')
export const approverGroups = text('Approver groups')
export const none = text('None')
export const memberId = text('Member ID')
export const memberIdInSentence = text('member ID')
export const thisBrowserIsSigned = text(
  'This browser is signed in as <shown>{username}</shown> of <shown>{organisation}</shown>, in all of its tabs. Signing out ends that session at the identity provider, and deletes its data from this browser. Programs that you allowed in this session lose access. Other devices stay signed in.',
)
export const signOutInThis = text('Sign out in this browser')
export const changeYourPasswordWhich = text('<a>Change your password</a>, which signs you out on all devices.')
export const yourAbsences = text('Your absences')
export const yourPermissions = text('Your permissions')
export const noneAskTenantAdministrator = text('None. Ask a tenant administrator for a role.')
export const notifications = text('Notifications')
export const settings = text('Settings')
export const programsWithAccess = text('Programs with access')
export const programsCallTools = text(
  'Programs that you allowed to call tools in your name, such as the AI assistant of an editor. Their names are their own claims.',
)
export const program = text('Program')
export const mayCall = text('May call')
export const toolsOfAgent = text('tools of <shown>{server}</shown> for the agent <shown>{agent}</shown>')
export const onlyInEnvironment = text(
  'tools of <shown>{server}</shown> for the agent <shown>{agent}</shown>, in <shown>{environment}</shown> only',
)
export const allowed = text('Allowed')
export const allowedOn = text('Signed in on')
export const endAccessHidden = text('End access<hidden>hidden</hidden>')
export const endAccess = text('End access')
export const endingAccess = text('Ending the access…')
export const programLosesAccess = text(
  '<shown>{program}</shown> can no longer call tools in your name, immediately. Calls that it has started go on, and requests for approval stay open. It can ask you for access again.',
)
export const programHasLostAccess = text('The program can no longer call tools in your name.')
export const theUnknownDevice = text('the unknown device')
