import { type Config, ConfigError } from '#server/kernel/config.ts'
import { NotAccepted, type Sink } from '#server/siem/sink.ts'
import { loadSinks } from '#server/siem/sinks.ts'
import { unknownTenants } from '#server/tenants/provider/unknown-tenants.ts'
import { correctTenant, type Finding, failed, ok, warning } from './findings.ts'
import type { DoctorTenants } from './tenants.ts'

/** Connects to each sink of SIEM_SINKS without sending a record. An invalid file is a finding of the settings. */
export async function checkSiem(config: Config, tenants: DoctorTenants): Promise<Finding[]> {
  const found: Finding[] = []
  for (const sink of await sinksOf(config)) {
    found.push(await reach(sink))
    for (const { text } of tenants === undefined ? [] : unknownTenants(tenants, { sinks: [sink] }))
      found.push(warning('SIEM', text, correctTenant))
    await sink.close()
  }
  return found
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
    if (!(error instanceof NotAccepted)) throw error
    return failed('SIEM', `${sink.name}: ${error.message}`, 'Check its address, certificate and secret.')
  }
}
