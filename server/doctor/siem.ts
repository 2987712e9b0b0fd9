import { type Config, ConfigError } from '#server/kernel/config.ts'
import type { Sink } from '#server/siem/sink.ts'
import { loadSinks } from '#server/siem/sinks.ts'
import { unknownTenants } from '#server/tenants/provider/unknown-tenants.ts'
import { correctTenant, type Finding, failed, ok, reasonOf, warning } from './findings.ts'
import type { DoctorTenants } from './tenants.ts'

/** Connects to each sink of SIEM_SINKS without sending a record. An invalid file is a finding of the settings. */
export async function* checkSiem(config: Config, tenants: DoctorTenants): AsyncGenerator<Finding> {
  // All at the same time: one that does not answer delays no other.
  const checks = (await sinksOf(config)).map((sink) => ({ sink, finding: reach(sink) }))
  for (const { sink, finding } of checks) {
    yield await finding
    for (const { text } of tenants === undefined ? [] : unknownTenants(tenants, { sinks: [sink] }))
      yield warning('SIEM', text, correctTenant)
  }
}

async function sinksOf(config: Config): Promise<Sink[]> {
  try {
    return await loadSinks(config)
  } catch (error) {
    if (error instanceof ConfigError) return []
    throw error
  }
}

async function reach(sink: Sink): Promise<Finding> {
  try {
    await sink.check()
    return ok('SIEM', `${sink.name}: accepts this server`)
  } catch (error) {
    return failed('SIEM', `${sink.name}: ${reasonOf(error)}`, 'Check its address, certificate and secret.')
  } finally {
    await sink.close()
  }
}
