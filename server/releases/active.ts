// The part of releases that other domains may import.
export { findActiveRelease } from './store.ts'
