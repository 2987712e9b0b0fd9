// What other domains may ask of releases.
export { findActiveRelease } from './store.ts'
