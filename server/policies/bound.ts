// What other domains may ask of bindings.
export { listBoundPolicies } from './decision-store.ts'
