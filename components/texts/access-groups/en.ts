import { text } from '#components/language/text.ts'

// Approver groups.

export const membersOf = text('Members of {group}')
export const changeApproverDecidesYour = text(
  'A change approver decides your proposal. Neither you nor anyone who would join the group can approve it.',
)
export const proposeTheseMembers = text('Propose these members')
export const proposing = text('Proposing…')
export const anotherChangeOfIts = text(
  'Another change of its members is already waiting for approval. It has to be decided first.',
)
export const youHaventChangedAnything = text('You haven’t changed anything yet.')
export const membersAfterChange = text('Members after the change')
export const reasonOptional = text('Reason (optional)')
export const shownToApprover = text('Shown to the approver.')
export const groupStaysUnchangedUntil = text('The group stays unchanged until the request is approved.')
export const close = text('Close')
export const newMembersAreProposed = text('The new members are proposed.')
export const groupWasCreatedWithout = text('The group {group} was created without members.')
export const groupCreated = text('Group {name} created')
export const createApproverGroup = text('Create an approver group')
export const groupStartsEmptyIts = text(
  'The group starts empty. Its first members join after a change approver other than you approves them.',
)
export const createGroup = text('Create the group')
export const createGroupAndPropose = text('Create the group and propose its members')
export const creatingGroup = text('Creating the group…')
export const enterDisplayNameUp = text('Enter a display name, up to {groupDisplayName} characters.')
export const name = text('Name')
export const manifestsAndPoliciesRefer = text(
  'Manifests and policies refer to it, for example refund-approvers. It can’t be changed later.',
)
export const displayName = text('Display name')
export const firstMembers = text('First members')
export const createA = text('Create a group')
export const seeApproverGroups = text('see the approver groups')
export const eachRequestIsSent = text(
  'Each request is sent to one group, and the members of that group decide it. The group change-approvers decides releases, bindings, roles and settings. The group escalation decides requests that other groups escalate. Every change of members requires approval.',
)
export const approverGroups = text('Approver groups')
export const theApproverGroups = text('The approver groups')
export const noApproverGroups = text('No approver groups.')
export const createGroupFirstEvery = text(
  'Create a group first. Every request for approval needs a group that decides it.',
)
export const everyoneIn = text(
  'Everyone in <shown>{name}</shown> of <shown>{issuer}</shown>, now {none, select, true {no one} other {<shown>{people}</shown>}}',
)
export const group = text('Group')
export const members = text('Members')
export const noOneGroupCant = text('No one: the group can’t receive requests.')
export const pendingChange = text('Pending change')
export const waitsForApprovalMembers = text('Waits for approval<hidden>: members of {group}</hidden>')
export const actions = text('Actions')
export const proposeMembersOf = text('Propose members<hidden> of {group}</hidden>')
export const loadingMembers = text('Loading the members…')
export const theMembersList = text('The members')
export const seeMembers = text('see the members')
export const loadingMorePeople = text('Loading more people…')
export const showMorePeople = text('Show more people')
export const cantDecideYetNeeds = text('can’t decide yet: needs the role approver')
export const groupsOfIdentityProvider = text('Groups of the identity provider')
export const theirMembersDecideIn = text(
  'Their members decide in this group as well, as their tokens of the last 24 hours or SCIM name them. The administrators of the provider decide who that is.',
)
export const groupAtProvider = text('Group at the provider')
export const addGroup = text('Add a group')
export const enterNameOfEach = text('Enter the name of each group of the identity provider.')
export const groupsManagedElsewhere = text('Groups of the identity provider')
export const groupsOfProvider = text('The groups of the identity provider')
export const providerManagesThem = text(
  '{host} manages these groups by SCIM, so they can’t be changed here. A group gives no right by itself: an approver group can take its members, by proposal.',
)
export const takenBy = text('Taken by')
export const noApproverGroupTakesIt = text('No approver group')
export const membersAndMore = text('{people}{more, plural, =0 {} other { and # more}}')
export const noMembersInGroup = text('No one')
export const changedByProvider = text('Changed')
