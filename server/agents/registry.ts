// What other domains may ask of registered agents.
export {
  findActiveReleases,
  findAgent,
  findAgentByName,
  findOwners,
  findVersion,
  listSensitivePaths as sensitivePathsOf,
  setAgentActive,
} from './store.ts'
