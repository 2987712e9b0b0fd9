// What other domains may ask of registered agents.
export { findActiveReleases, findAgent, findAgentByName, findOwners, findVersion, setAgentActive } from './store.ts'
