import { text } from '#components/language/text.ts'

// The organisation’s settings: rules, branding, identity provider, first day.

export const brandingWasSaved = text('The branding was saved.')
export const displayName = text('Display name')
export const accentColour = text('Accent colour')
export const suchAs0f766eOr = text('Such as #0f766e or oklch(0.5 0.1 180). Leave it empty for the default.')
export const notValidColourUse = text('Not a valid colour. Use #rrggbb, rgb() or oklch().')
export const logo = text('Logo')
export const pngOrSvgUp = text(
  'PNG or SVG, up to 256 KiB. Shown on the sign-in page, and in the top bar if no logo mark is set.',
)
export const logoMark = text('Logo mark')
export const squareImageForTop = text('A square image for the top bar. PNG or SVG, up to 256 KiB.')
export const alternativeTextOfLogo = text('Alternative text of the logo')
export const screenReadersReadIt = text('Screen readers read it instead of the image.')
export const coBrandingOnSign = text('Co-branding on the sign-in page')
export const defaultLanguage = text('Language')
export const defaultLanguageFor = text(
  'Of the console, the sign-in page and mails, for everyone who has not chosen their own.',
)
export const asBrowsersAsk = text('As each browser asks, and English in mails')
export const chooseOption = text('Choose an option')
export const savingBranding = text('Saving the branding…')
export const saveBranding = text('Save the branding')
export const onlyThisOrganisation = text('Only this organisation')
export const poweredByCountersign = text('Powered by Countersign')
export const thisOrganisationAndCountersign = text('This organisation and Countersign')
export const youHaventChangedAnything = text('You haven’t changed anything yet.')
export const enterDisplayNameAnd = text('Enter a display name and the alternative text of the logo.')
export const correctColourFirst = text('Correct the colour first.')
export const preview = text('Preview')
export const eachThemeMakesColour = text('Each theme makes the colour lighter or darker until it has enough contrast.')
export const light = text('Light')
export const dark = text('Dark')
export const imageCantBeShown = text('This file can’t be shown as an image. Choose another one.')
export const choosePngOrSvg = text('Choose a PNG or SVG file.')
export const logoTooLarge = text('A logo can have at most {limit} KiB.')
export const lessSafeThanNew = text('Less safe than a new organisation')
export const ruleIsLessSafe = text(
  '{dangers, plural, one {One rule is} other {{dangers} rules are}} less safe than in a new organisation:',
)
export const firstDay = text('First day')
export const stepsDone = text('{done} of {all} steps are done.')
export const done = text('Done')
export const open = text('Open')
export const registerYourPasskey = text('Register your passkey')
export const itProvesThatIt = text(
  'It proves that an approval comes from the person it names. Anyone who decides needs one where approvals require it.',
)
export const yourSettings = text('Your settings')
export const inviteSecondAdministrator = text('Invite a second administrator')
export const secondAdministratorFrom = text('Make someone with an account at {host} the second administrator')
export const weakerRulesAndRoles = text(
  'Weaker rules and roles need a second person, and only the operator can reset the last administrator.',
)
export const members = text('Members')
export const fillApproverGroupWith = text('Fill an approver group with two people')
export const requestsWaitForGroup = text('Requests wait for a group, and no one decides their own.')
export const approverGroups = text('Approver groups')
export const registerAgent = text('Register an agent')
export const itsManifestSaysWhich = text('Its manifest says which tools and models it may use.')
export const bindPolicy = text('Bind a policy')
export const withoutBoundPolicyNo = text('Without a bound policy no call is made. Start from one of the gallery.')
export const policies = text('Policies')
export const chooseWhereRequestsAre = text('Choose where requests are announced')
export const webhookSlackTeamsOr = text('A webhook, Slack, Teams or mail reports that something waits for a person.')
export const notifications = text('Notifications')
export const removeThe = text('{kind, select, logo {Remove the logo} other {Remove the logo mark}}')
export const organisation = text('Organisation')
export const changedTo = text(
  '{known, select, true {{name} from {before} to <strong>{after}</strong>} other {{name} to <strong>{after}</strong>}}',
)
export const settingsOf = text('Settings of {organisation}')
export const rolesOfPeopleFrom = text('Roles of people from an identity provider')
export const membershipAndToken = text('Membership and token')
export const roleCountsIfIt = text('A role counts if it is set on the Members page and the token also carries it.')
export const tokenAlone = text('Token alone')
export const providerDecidesEachToken = text(
  'The provider decides: each token sets the roles of its member. The Members page only shows them. A change there counts from the next token.',
)
export const anyoneWhoAdministersIdentity = text(
  'Anyone who administers the identity provider decides who has which role here. No token gives approver, privacy officer or tenant admin, because no name below is mapped to them.',
)
export const anyoneWho = text(
  'Anyone who administers the identity provider can make anyone {roles} here, without an approval in Countersign.',
)
export const claimThatNamesRoles = text('Claim that names roles')
export const inAccessTokenFor = text('In the access token, for example realm_access.roles, roles or groups.')
export const rolesThatOtherNames = text('Roles that other names give')
export const namesOfRolesHere = text(
  'The names of the roles here, such as viewer, count without a row. With roles from the token alone, approver, privacy officer and tenant admin always need one.',
)
export const nameInClaim = text('Name in the claim')
export const mapNameToRole = text('Map a name to a role')
export const role = text('Role')
export const chooseRole = text('Choose a role')
export const claimThatNamesGroups = text('Claim that names groups')
export const approverGroupsCanTake = text(
  'The approver groups can take members from these groups. They are chosen on the page Approver groups.',
)
export const separationOfDuties = text('Separation of duties')
export const required = text('Required')
export const noOneCanDecide = text(
  'No one can decide requests of their own, of their agents or of their service accounts.',
)
export const off = text('Off')
export const requestersCanApproveTheir = text('Requesters can approve their own requests.')
export const decisionsByMachines = text('Decisions by machines')
export const onlyPeopleDecideRequests = text('Only people decide requests.')
export const on = text('On')
export const serviceAccountsWithPermission = text(
  'Service accounts with the permission can decide, too. The record of each such decision shows it.',
)
export const secondPersonForUnmasking = text('Second person for unmasking')
export const sensitiveValueIsShown = text('A sensitive value is shown after a second person approves.')
export const privacyOfficerCanSee = text(
  'A privacy officer can see sensitive values without a second person. Each time is recorded.',
)
export const timeToReadBefore = text('Time to read before an approval')
export const howLongRequestOf = text(
  'How long a request of high or critical risk must have been open before its reader can approve it. It can be rejected at any time. A shorter time is a weaker rule.',
)
export const chooseTime = text('Choose a time')
export const retention = text('Retention')
export const howLongTracesAre = text(
  'How long traces are stored, together with the content of executions, requests, events, mails and files. States, digests and the audit log are not deleted. A shorter retention is a weaker rule.',
)
export const choosePeriod = text('Choose a period')
export const retentionOfArchives = text('Retention of archives')
export const howLongEvidenceArchives = text(
  'How long evidence archives are kept after they were made. Their digests stay, and a legal hold delays the deletion. A shorter retention is a weaker rule.',
)
export const archivesThatContainErased = text('Archives that contain erased data')
export const mark = text('Mark')
export const archiveStaysAndSays = text('The archive stays and says that it contains erased data.')
export const deleteText = text('Delete')
export const erasureDeletesArchiveIts = text('The erasure deletes the archive; its digests stay.')
export const registrationOfPrograms = text('Registration of programs')
export const mcpClientsSignPeople = text('MCP clients sign people in if they publish a document that names them.')
export const otherMcpClientsCan = text('Other MCP clients can register themselves. People still allow each sign-in.')
export const none = text('None')
export const seconds = text('{count} seconds')
export const withoutLimit = text('Without limit')
export const yearsDays = text('{years, plural, one {{years} year} other {{years} years}} ({days} days)')
export const days = text('{days} days')
export const rulesWereSet = text('The rules were set.')
export const approvalOfChangeWas = text('Approval of the change was requested.')
export const anotherChangeIsAlready = text(
  'Another change is already waiting for approval. It has to be decided first.',
)
export const reasonOptional = text('Reason (optional)')
export const storedInAuditRecord = text('Stored in the audit record.')
export const shownToApprover = text('Shown to the approver.')
export const settingRules = text('Setting the rules…')
export const enterClaimsOfIdentity = text('Enter the claims of the identity provider.')
export const enterNameInEach = text('Enter a name in each row of the mapping.')
export const setRules = text('Set the rules')
export const setStricterRulesAnd = text('Set the stricter rules and request the others')
export const requestChange = text('Request the change')
export const setThe = text('Set the stricter rules and request the weaker ones')
export const requestWeakerRules = text('Request the weaker rules')
export const loadingHistory = text('Loading the history…')
export const theHistory = text('The history')
export const seeAuditLog = text('see the audit log')
export const noRuleWasChanged = text('No rule was changed yet.')
export const eachChangeOfRule = text('Each change of a rule is listed here.')
export const changesOfRules = text('Changes of rules')
export const when = text('When')
export const change = text('Change')
export const by = text('By')
export const approvedBy = text('Approved by')
export const notNeededNotWeaker = text('Not needed: not weaker')
export const openRequest = text('Open the request')
export const reason = text('Reason')
export const changeOrganisationsSettings = text('change the organisation’s settings')
export const rules = text('Rules')
export const history = text('History')
export const branding = text('Branding')
export const loadingSettings = text('Loading the settings…')
export const loadingRules = text('Loading the rules…')
export const theRules = text('The rules')
export const lowRisk = text('Low risk')
export const mediumRisk = text('Medium risk')
export const highRisk = text('High risk')
export const criticalRisk = text('Critical risk')
export const passkeyRequiredToApprove = text('Passkey required to approve')
export const approversDeviceSignsExactly = text(
  'The approver’s device signs exactly the request that they read. Approvers without a passkey can still reject and escalate. Service accounts can’t approve these requests.',
)
export const appliesImmediatelyBecauseIt = text('Applies immediately, because it isn’t weaker:')
export const requiresApprovalOfChange = text(
  'Requires the approval of a change approver other than you, because it is weaker:',
)
export const requiresThe = text(
  'Requires the approval of a change approver other than you, because tokens decide what it gives to whom:',
)
