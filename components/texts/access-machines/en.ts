import { text } from '#components/language/text.ts'

// Service accounts and connection tokens.

export const active = text('Active')
export const disabled = text('Disabled')
export const theServiceAccount = text('The service account {created}')
export const createServiceAccount = text('Create a service account')
export const itsSecretIsShown = text(
  'Its secret is shown once, right after the account is created. You can’t approve requests of an account that you created.',
)
export const createAccount = text('Create the account')
export const creatingAccount = text('Creating the account…')
export const name = text('Name')
export const clientIdIsDerived = text('The client ID is derived from the name and never changes.')
export const clientIdIsAnd = text('The client ID is {id} and never changes.')
export const enterName = text('Enter a name.')
export const nameCanHaveAt = text('A name can have at most {serviceAccountName} characters.')
export const chooseAtLeastOne = text('Choose at least one role.')
export const none = text('None')
export const doesntExpire = text('Created <at>time</at>, doesn’t expire')
export const expiresTime = text('Created <at>time</at>, expires <end>time</end>')
export const serviceAccountItActs = text('A service account. It acts in its own name, within its roles.')
export const clientId = text('Client ID')
export const clientIdInSentence = text('client ID')
export const state = text('State')
export const roles = text('Roles')
export const validSecrets = text('Valid secrets')
export const responsiblePeople = text('Responsible people')
export const created = text('Created')
export const lastUsed = text('Last used')
export const never = text('Never')
export const thisAccountIsDisabled = text('This account is disabled. Enable it first.')
export const rotateSecret = text('Rotate the secret')
export const enable = text('Enable')
export const disable = text('Disable')
export const isDisabled = text('{account} is {status, select, active {enabled} other {disabled}}.')
export const accountCantObtainNew = text(
  'The account can’t obtain new tokens, its existing tokens are refused from the next request on, and its connection tokens are revoked permanently. You can enable the account again.',
)
export const accountCanSignIn = text('The account can sign in again with its secrets that haven’t expired.')
export const disableAccount = text('Disable the account')
export const enableAccount = text('Enable the account')
export const disablingAccount = text('Disabling the account…')
export const enablingAccount = text('Enabling the account…')
export const createdIt = text('created it')
export const rotatedItsSecret = text('rotated its secret')
export const createdConnectionTokenFor = text('created a connection token for it')
export const noneOperatorCreatedIt = text('None: the operator created it')
export const secretIsShownOnly = text('The secret is shown only this once. Store it where the program reads it.')
export const clientSecret = text('client secret')
export const iStoredSecret = text('I stored the secret')
export const rotateSecretInList = text('Rotate the secret in the list to get another one.')
export const olderSecrets = text('Older secrets')
export const expiredJustNow = text('Expired just now')
export const serviceAccounts = text('Service accounts')
export const now = text('Now')
export const in1Hour = text('In 1 hour')
export const in24Hours = text('In 24 hours')
export const in7Days = text('In 7 days')
export const in30Days = text('In 30 days')
export const newSecretFor = text('A new secret for {account}')
export const rotateSecretOf = text('Rotate the secret of {account}')
export const accountGetsNewSecret = text(
  'The account gets a new secret, which is shown once. The current secrets keep working until they expire. You can’t approve requests of an account whose secret you rotated.',
)
export const rotatingSecret = text('Rotating the secret…')
export const currentSecretsExpire = text('Current secrets expire')
export const chooseWhenTheyExpire = text('Choose when they expire')
export const programsThatStillUse = text('Programs that still use them can no longer sign in.')
export const oldAndNewSecrets = text('Old and new secrets work until <at>time</at>.')
export const seeServiceAccounts = text('see service accounts')
export const serviceAccountLetsProgram = text(
  'A service account lets a program sign in with its own roles. Anyone who creates the account or rotates its secret can’t approve its requests.',
)
export const theServiceAccounts = text('The service accounts')
export const noServiceAccounts = text('No service accounts.')
export const createOneForPipeline = text('Create one for a pipeline or an external agent to sign in with.')
export const account = text('Account')
export const secrets = text('Secrets')
export const actions = text('Actions')
export const createConnectionToken = text('Create a connection token')
export const seeConnectionTokens = text('see connection tokens')
export const connectionTokenLetsProgram = text(
  'A connection token lets a program that can only send a fixed header act for a service account: an OpenTelemetry exporter, the MCP client of an editor, or an identity provider that manages members (SCIM). It works for that one purpose only. Anyone who creates a token can’t approve requests of its account.',
)
export const connectionTokens = text('Connection tokens')
export const theConnectionTokens = text('The connection tokens')
export const noConnectionTokens = text('No connection tokens.')
export const createOneForOpentelemetry = text(
  'Create one for an OpenTelemetry exporter, the MCP client of an editor, or an identity provider that manages members (SCIM). Programs that can sign in use a service account’s secret instead.',
)
export const token = text('Token')
export const connectionFor = text('For')
export const serviceAccount = text('Service account')
export const expires = text('Expires')
export const namesOfAgentsSeparated = text(
  'Names of agents, separated by commas. Leave it empty to allow the traces of all agents.',
)
export const namesOfRegisteredAgents = text(
  'Names of registered agents, separated by commas. The token works for their addresses only.',
)
export const tokenIsShownOnce = text(
  'The token is shown once, right after it is created. Only its hash is stored. You can’t approve requests of its service account from then on.',
)
export const createToken = text('Create the token')
export const creatingToken = text('Creating the token…')
export const nameProgramThatUses = text(
  'Name the program that uses the token, so that others know what stops working when it is revoked.',
)
export const choosePurpose = text('Choose a purpose')
export const tokenReachesNothingElse = text('The token reaches nothing else.')
export const loadingServiceAccounts = text('Loading service accounts…')
export const chooseServiceAccount = text('Choose a service account')
export const tokenActsInIts = text('The token acts in its name. Disabling the account revokes the token.')
export const agents = text('Agents')
export const nameTooLong = text('A name can have at most {secretName} characters.')
export const chooseA = text('Choose a service account.')
export const nameAtLeastOne = text('Name at least one agent.')
export const tokenCanNameAt = text('A token can name at most {mostAgentsOfToken} agents.')
export const connectionTokenTokenItself = text('A connection token. The token itself was shown once and is not stored.')
export const timeBy = text('<at>time</at> by <shown>{createdBy}</shown>')
export const revoked = text('Revoked')
export const tokenId = text('Token ID')
export const tokenIdInSentence = text('token ID')
export const revoke = text('Revoke')
export const already = text(
  '{status, select, expired {Already expired.} revoked {Already revoked.} other {Already revoked.}}',
)
export const isRevoked = text('{token} is revoked.')
export const revokeNamed = text('Revoke {token}')
export const tokenStopsWorkingFrom = text(
  'The token stops working from the next request on and can’t be restored. If it is still needed, create a new one.',
)
export const revokeToken = text('Revoke the token')
export const revokingToken = text('Revoking the token…')
export const typeNameExactlyAs = text('Type the name exactly as it appears in the list.')
export const nameOfToken = text('Name of the token')
export const typeToConfirm = text('Type {token} to confirm.')
export const theConnectionToken = text('The connection token {name}')
export const tokenIsShownOnly = text(
  'The token is shown only this once. Store it where the program reads it, never in a web page.',
)
export const connectionTokenName = text('connection token')
export const iStoredToken = text('I stored the token')
export const revokeThisTokenIn = text('Revoke this token in the list and create another one.')
export const addressOfScim = text('Address of SCIM')
export const sentAs = text('Sent as')
export const telemetry = text('Telemetry')
export const toolCallsMcp = text('Tool calls (MCP)')
export const membersScim = text('Members (SCIM)')
export const allAgents = text('All agents')
export const expired = text('Expired')
export const accountDisabled = text('Account disabled')
