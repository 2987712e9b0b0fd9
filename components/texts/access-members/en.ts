import { text } from '#components/language/text.ts'

// Members: roles, invitations, standing, control of accounts.

export const suspend = text('Suspend')
export const theyLoseAccessFrom = text(
  'They lose access from the next request on, and their open pages and streams end immediately. You can resume the member later.',
)
export const resume = text('Resume')
export const theyRegainAccessThat = text('They regain the access that they had.')
export const remove = text('Remove')
export const permanentMembershipEndsAnd = text(
  'Permanent: the membership ends and the account is deleted. Their name remains in the audit log.',
)
export const nowIs = text('{member} is {kind, select, resume {active again} suspend {suspended} other {removed}}.')
export const standing = text(
  '{kind, select, resume {Resume {member}} suspend {Suspend {member}} other {Remove {member}}}',
)
export const standingBusy = text(
  '{kind, select, resume {Resuming {member}} suspend {Suspending {member}} other {Removing {member}}}…',
)
export const storedInAuditRecord = text('Stored in the audit record.')
export const provedByOperator = text('Proved by the operator')
export const provedByIdentityProvider = text('Proved by the identity provider')
export const fromBeforeTheseRecords = text('From before these records, to be reviewed')
export const provedByMailedLink = text('Proved by a mailed link')
export const vouchedFor = text('Vouched for')
export const countsAs = text('Counts as <shown>{displayName}</shown> until control is proved')
export const countsDetail = text(
  ': {kind, select, invited {invited} other {reset}} <at>time</at>, {handover, select, mailed {link sent by mail} failed {link not delivered by mail} other {link shown}}',
)
export const provedBy = text(' by <shown>{provedBy}</shown>')
export const isInvited = text('{member} is invited')
export const openPersonInList = text('Open the person in the list and create another link.')
export const invitePerson = text('Invite a person')
export const theyReceiveOneTime = text(
  'They receive a one-time link, set a password, and then have the roles that you choose here. Until it is proved that they control the account, you count as the same person: another administrator can vouch for them.',
)
export const accountsAreAt = text(
  'People’s accounts are at {host}, so no one is invited here. Someone with an account there becomes a member {scim, select, true {when SCIM sends the account, or at the first sign-in} other {at the first sign-in}}.',
)
export const scimManagesPeople = text(
  '{host} manages its people here by SCIM. Invite only people without an account there.',
)
export const invite = text('Invite')
export const inviting = text('Inviting…')
export const eMailAddress = text('E-mail address')
export const name = text('Name')
export const shownToOthersIn = text('Shown to others in requests and records.')
export const reasonOptional = text('Reason (optional)')
export const shownToApprover = text('Shown to the approver.')
export const enterValidEMail = text('Enter a valid e-mail address.')
export const enterName = text('Enter a name.')
export const nameCanHaveAt = text('A name can have at most {personName} characters.')
export const requestWaitsForApproval = text('The request waits for approval.')
export const forWaitingForApproval = text('{roles} for {member}: waiting for approval.')
export const userName = text('User name')
export const linkExpires = text('Link expires')
export const passkeysRemoved = text('Passkeys removed')
export const oneTimeLink = text('one-time link')
export const giveThisLinkTo = text(
  'No mail server is configured, so nothing was sent. Give this link to {member} yourself: it is shown once, works once, and expires in 72 hours.',
)
export const linkIsBeingSent = text(
  'The link is being sent to {email}. It works once, expires in 72 hours, and is shown to no one else.',
)
export const countAsOneUntil = text(
  'Until it is proved that {member} controls the account, you and {member} count as one person and can’t approve each other’s requests: another administrator can vouch for it.',
)
export const resetNeedsApproval = text(
  '{member} has roles that require a second person, so the change approvers have to approve the reset first. Reset the password again within {hours} hours of their approval.',
)
export const iHaveLink = text('I have the link')
export const close = text('Close')
export const createAnotherLink = text('Create another link')
export const resetPassword = text('Reset the password')
export const memberWhoSignsIn = text('A member who signs in at another organisation.')
export const memberWhoSignsInAt = text('A member who signs in at {host}.')
export const account = text('Account')
export const managedByScim = text('Managed by {host} through SCIM, as <shown>{externalId}</shown>')
export const memberOfThisOrganisation = text('A member of this organisation.')
export const state = text('State')
export const control = text('Control')
export const eMail = text('E-mail')
export const roles = text('Roles')
export const decidesIn = text('Decides in')
export const noApproverGroup = text('No approver group')
export const oneTime = text('One-time link')
export const notUsedYetExpires = text('Not used yet, expires <at>time</at>')
export const mailWithLink = text('Mail with the link')
export const linkNotDelivered = text('Link not delivered')
export const linkIsSentAgain = text('Sending is tried again, for up to a day.')
export const linkDidNotArrive = text(
  'The link did not arrive. If the address is right, use “{again}” to send another one. If it is wrong, remove the person and invite them again.',
)
export const linkMayNotHaveArrived = text('If it did not arrive, use “{again}” to send another link.')
export const memberSince = text('Member since')
export const memberId = text('Member ID')
export const memberIdInSentence = text('member ID')
export const setRoles = text('Set roles')
export const withApproval = text('{reset}, with approval')
export const vouch = text('Vouch')
export const invited = text('Invited')
export const active = text('Active')
export const suspended = text('Suspended')
export const removed = text('Removed')
export const seeMembers = text('see the members')
export const rolesDetermineWhatPerson = text(
  'Roles determine what a person can do. A change applies from the next request on. Granting approver, privacy officer or tenant admin requires the approval of a change approver. Anyone who invites or resets an account counts as its holder until it is proved that someone else controls it.',
)
export const members = text('Members')
export const theMembers = text('The members')
export const noMembers = text('No members.')
export const noMembersMatchThis = text('No members match this filter.')
export const invitePersonToAdd = text('Invite a person to add the first member.')
export const toSeeMembersIn = text('To see members in other states, show everyone.')
export const approversWithPasskey = text(
  '{withPasskey} of {activeApprovers, plural, one {# active approver} other {# active approvers}} {withPasskey, plural, one {has} other {have}} a passkey.',
)
export const person = text('Person')
export const lastSignIn = text('Last sign-in')
export const notYet = text('Not yet')
export const notRecorded = text('Not recorded')
export const noPasskey = text('No passkey')
export const passkeys = text('{passkeys, plural, one {# passkey} other {# passkeys}}')
export const controlOfAccount = text('Control of the account')
export const actions = text('Actions')
export const linkForIsBeing = text('The link for {member} is being sent')
export const oneTimeLinkFor = text('A one-time link for {member}')
export const resetForWaitsFor = text('The reset for {member} waits for approval')
export const createAnotherLinkLost = text('Create another link. The lost one then stops working.')
export const anotherLinkFor = text('Another link for {member}')
export const resetPasswordOf = text('Reset the password of {member}')
export const thisPersonMayDo = text(
  'This person has permissions that you lack, or is an approver or an administrator. So a change approver other than you has to approve the reset first. After the approval, repeat this step within 24 hours to create the link.',
)
export const theyAreSignedOut = text(
  'They are signed out everywhere, the old password, passkeys and older links stop working, and they see at the next sign-in that you did this. The link is sent to their address, or shown to you if no mail server is configured. Until control is proved, you count as the same person.',
)
export const requestResetOrCreate = text('Request the reset, or create the approved link')
export const createLink = text('Create the link')
export const creatingLink = text('Creating the link…')
export const none = text('None')
export const setByNextToken = text('Set by the next token')
export const fromTokenOfTime = text('From the token of <at>time</at>')
export const rolesBy = text(', by <shown>{rolesFrom}</shown>')
export const resetWaitsForApproval = text(
  'Reset: <link>{approved, select, true {approved} other {waits for approval}}</link>',
)
export const waitsForApproval = text('waits for approval')
export const requiresApprovalOfChange = text('Requires the approval of a change approver other than you.')
export const andRequestApproval = text('{plain} and request approval')
export const rolesOf = text('Roles of {member}')
export const changeAppliesFromNext = text(
  'A change applies from the next request on, also to sessions that are open now.',
)
export const setThe = text('Set the roles')
export const settingRoles = text('Setting the roles…')
export const youHaventChangedAnything = text('You haven’t changed anything yet.')
export const waitingForApproval = text('{roles}: waiting for approval.')
export const everyone = text('Everyone')
export const withoutPasskey = text('Without a passkey')
export const controlNotProved = text('Control not proved')
export const accountsFromBeforeTo = text('Accounts from before, to review')
export const show = text('Show')
export const chooseState = text('Choose a state')
export const youVouchedFor = text('You vouched for {name}.')
export const vouchFor = text('Vouch for {name}')
export const yourNameIsRecorded = text(
  'Your name is recorded in the audit log. From then on {name} counts as a person of their own: those who invited or reset the account can decide its requests, including the ones that wait now, and {name} can decide theirs.',
)
export const vouchingFor = text('Vouching for {name}…')
export const howYouMadeSure = text('How you made sure')
export const requiredKeptInAudit = text(
  'Required, kept in the audit record. For example: I met them, and saw that they are signed in.',
)
export const onlyCanSignIn = text('Only {name} can sign in to this account')
export const stateHowYouMade = text('State how you made sure.')
export const reasonCanHaveAt = text('A reason can have at most {reason} characters.')
export const confirmThatOnlyThis = text('Confirm that only this person can sign in.')
export const hasRoles = text('{member} has the roles {roles}.')
export const nowRoles = text('Now: {roles}.')
export const noRoles = text('none')
