// What other domains may ask of registered agents.
export { findAgent, findOwners, findVersion, setAgentActive } from './store.ts'
