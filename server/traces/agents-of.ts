// What other domains may ask of traces: which registered agents they are of.
export { listAgentsOfTraces as agentsOfTraces } from '#server/traces/recording/batch-store.ts'
