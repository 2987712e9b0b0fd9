// The part of agents that other domains may import.
export {
  findActiveReleases,
  findAgent,
  findAgentByName,
  findOwners,
  findVersion,
  listSensitivePaths as sensitivePathsOf,
  setAgentActive,
} from './store.ts'
