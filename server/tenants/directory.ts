// What other domains may ask of people and groups. Everything else in the store is the tenants domain's own.
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
