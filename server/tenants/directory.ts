// The functions on people and groups that other domains may use. The rest of the store belongs to the tenants domain
// alone.
export {
  findGroup,
  findGroupMembers,
  findGroupsOf,
  findMemberByName,
  findMemberByUsername,
  findMembers,
  findSponsors,
  findTenantBySlug,
  listTenants,
} from './store.ts'
