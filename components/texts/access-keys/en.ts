import { text } from '#components/language/text.ts'

// API keys and secrets.

export const members = text('Members')
export const approverGroups = text('Approver groups')
export const serviceAccounts = text('Service accounts')
export const connectionTokens = text('Connection tokens')
export const apiKeys = text('API keys')
export const secrets = text('Secrets')
export const access = text('Access')
export const archivedEntriesAreShown = text('Archived entries are shown. ')
export const archivedEntriesAreHidden = text('Archived entries are hidden. ')
export const hideArchived = text('Hide archived')
export const showArchived = text('Show archived')
export const isRevoked = text('{record} is revoked.')
export const revokeNamed = text('Revoke {record}')
export const stopsWorkingFromNext = text(
  'The {kind, select, key {API key} other {secret}} stops working from the next request on and can’t be restored. If it is still needed, create a new one.',
)
export const revokeThe = text('Revoke the {kind, select, key {API key} other {secret}}')
export const revokingKey = text('Revoking the API key…')
export const revokingSecret = text('Revoking the secret…')
export const typeNameExactlyAs = text('Type the name exactly as it appears in the list.')
export const nameOf = text('Name of the {kind, select, key {API key} other {secret}}')
export const typeToConfirm = text('Type {record} to confirm.')
export const isArchived = text('{record} is archived.')
export const archiveNamed = text('Archive {record}')
export const stopsWorkingItsValue = text(
  'The {kind, select, key {API key} other {secret}} stops working, its value is deleted, and it is removed from the list. This can’t be undone. Its name, dates and audit records are kept.',
)
export const itIsRemovedFrom = text(
  'It is removed from the list. This can’t be undone. Its name, dates and audit records are kept.',
)
export const archiveThe = text('Archive the {kind, select, key {API key} other {secret}}')
export const archivingKey = text('Archiving the API key…')
export const archivingSecret = text('Archiving the secret…')
export const in7Days = text('In 7 days')
export const in30Days = text('In 30 days')
export const in90Days = text('In 90 days')
export const inYear = text('In a year')
export const never = text('Never')
export const expires = text('Expires')
export const chooseWhenItExpires = text('Choose when it expires')
export const itWorksUntilIt = text('It works until it is revoked.')
export const worksUntilTime = text('Works until <at>time</at>.')
export const manage = text('Manage<hidden> {name}</hidden>')
export const identityProvider = text('Identity provider')
export const chooseProvider = text('Choose a provider')
export const remove = text('Remove<hidden> {entry}</hidden>')
export const state = text('State')
export const made = text('Made')
export const timeBy = text('<at>time</at> by <shown>{createdBy}</shown>')
export const revoked = text('Revoked')
export const archived = text('Archived')
export const secretId = text('Secret ID')
export const secretIdInSentence = text('secret ID')
export const active = text('Active')
export const expired = text('Expired')
export const tickFirstValueCant = text('Tick “{confirm}” first: the value can’t be shown again.')
export const done = text('Done')
export const itWasCreatedBut = text('It was created, but the response with the value was lost.')
export const valueCantBeShown = text('The value can’t be shown again.')
export const leavingNowWouldLose = text('Leaving now would lose the value. {reason}')
export const copyThe = text('Copy the {noun}')
export const copied = text('Copied.')
export const browserRefusedToCopy = text('The browser refused to copy. Select the text instead.')
export const createApiKey = text('Create an API key')
export const seeApiKeys = text('see API keys')
export const programThatSendsApi = text(
  'A program that sends an API key can do only what the scopes of the key grant. Most scopes have no effect.',
)
export const theApiKeys = text('The API keys')
export const noApiKeys = text('No API keys.')
export const apiKeyLetsProgram = text(
  'An API key lets a program read decision requests without signing in. For anything else, create a service account.',
)
export const key = text('Key')
export const scopes = text('Scopes')
export const lastUsed = text('Last used')
export const createdBy = text('Created by')
export const actions = text('Actions')
export const keyIsShownOnce = text('The key is shown once, right after it is created. Only its hash is stored.')
export const createKey = text('Create the key')
export const creatingKey = text('Creating the key…')
export const name = text('Name')
export const nameProgramThatUses = text(
  'Name the program that uses the key, so that others know what stops working when it is revoked.',
)
export const scopeSeeDecisionRequests = text('Scope <code>{scope}</code>: see decision requests and their decisions')
export const otherScopes = text('Other scopes')
export const separateThemWithSpaces = text(
  'Separate them with spaces. They are stored with the key but have no effect here.',
)
export const thisKeyDoesNot = text('This key does not grant any permission: every request with it is refused.')
export const theApiKey = text('The API key {apiKey}')
export const keyIsShownOnly = text('The key is shown only this once. Store it where the program reads it.')
export const apiKeyName = text('API key')
export const iStoredKey = text('I stored the key')
export const revokeThisKeyIn = text('Revoke this key in the list and create another one.')
export const sentAs = text('Sent as')
export const headerXSvcApi = text('the header <code>x-svc-api-key</code>')
export const enterName = text('Enter a name.')
export const nameCanHaveAt = text('A name can have at most {secretName} characters.')
export const keyCanHaveAt = text('A key can have at most {maxScopes} scopes.')
export const scopeCanHaveAt = text('A scope can have at most {secretName} characters.')
export const noScopesThisKey = text('No scopes: this key does not grant any permission.')
export const hasNoEffect = text('has no effect')
export const apiKeyKeyItself = text('An API key. The key itself was shown once and is not stored.')
export const keyId = text('Key ID')
export const keyIdInSentence = text('key ID')
export const revoke = text('Revoke')
export const thisKeyIsAlready = text('This key is already archived.')
export const archive = text('Archive')
export const secretWasCreated = text('The secret {secret} was created.')
export const createSecret = text('Create a secret')
export const valueIsEncryptedBefore = text(
  'The value is encrypted before it is stored. Members with permission to read values can read it later.',
)
export const createThe = text('Create the secret')
export const encryptingSecret = text('Encrypting the secret…')
export const manifestsReferToSecret = text(
  'Manifests refer to the secret by this name. Only one active secret can have it.',
)
export const value = text('Value')
export const storedExactlyAsEntered = text('Stored exactly as entered, including spaces and line breaks.')
export const enterValue = text('Enter a value.')
export const secretItsValueIs = text(
  'A secret. Its value is shown only on request, and the audit log records that you read it.',
)
export const thisSecretIsAlready = text('This secret is already archived.')
export const loadingValue = text('Loading the value…')
export const thisSecretIsSo = text(
  '{status, select, revoked {This secret is revoked, so its value can’t be read.} expired {This secret is expired, so its value can’t be read.} other {This secret is archived, so its value can’t be read.}}',
)
export const valueNoun = text('value')
export const grants = text('grants <code>{permission}</code>: {what}')
export const valueTooLong = text('A value can have at most {limit} KiB.')
export const readValue = text('Read the value')
export const seeSecrets = text('see secrets')
export const secretIsNamedValue = text(
  'A secret is a named value, such as the credential of a model’s endpoint. It is encrypted with a key of this organisation. The audit log records each time that a value is read.',
)
export const theSecrets = text('The secrets')
export const noSecrets = text('No secrets.')
export const createSecretSoThat = text(
  'Create a secret so that manifests can refer to it by name instead of containing the value.',
)
export const created = text('Created')
export const destinations = text('Destinations')
export const destinationsHint = text(
  'The only addresses that the secret may be sent to, one on each line, such as https://crm.example. Without one, it is sent where a release needs it, after people have approved the address, or when someone who may read its value proposes the release.',
)
export const notDestination = text('Enter addresses without a path, such as https://crm.example, instead of {line}.')
export const tooManyDestinations = text('A secret can have at most {limit} destinations.')
export const notBound = text('where approved releases need it')
export const changeDestinations = text('Change the destinations')
export const changingDestinations = text('Changing the destinations…')
export const destinationsOf = text('Destinations of {record}')
export const destinationsCountFromNext = text(
  'They apply from the next connection on, also in executions of releases that are already approved.',
)
export const destinationsWereChanged = text('The destinations of {record} were changed.')
export const thisSecretIsNotSent = text(
  '{status, select, revoked {This secret is revoked, so it is not sent anywhere.} expired {This secret is expired, so it is not sent anywhere.} other {This secret is archived, so it is not sent anywhere.}}',
)
