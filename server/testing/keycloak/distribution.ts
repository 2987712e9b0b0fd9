import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

export const keycloakVersion = '26.7.0'
const cache = join(import.meta.dirname, `../../../node_modules/.cache/keycloak-${keycloakVersion}`)

/** The programs that get and start a Keycloak. */
export const keycloakNeeds = ['java', 'mvn'] as const

/**
 * Copies the distribution of Keycloak's makers (from Maven Central, once per clone) to a temporary folder, which the caller removes. A start
 * with `--import-realm` imports `realmFile`.
 */
export async function keycloakFolder(realmFile: string): Promise<string> {
  const home = join(cache, `keycloak-${keycloakVersion}`)
  if (!existsSync(home)) {
    await mkdir(cache, { recursive: true })
    const artifact = `org.keycloak:keycloak-quarkus-dist:${keycloakVersion}:zip`
    const target = [`-Dartifact=${artifact}`, `-DoutputDirectory=${cache}`]
    // Without a project, the plugin writes its markers to the working directory.
    await promisify(execFile)('mvn', ['--quiet', '--batch-mode', 'dependency:unpack', ...target], { cwd: cache })
  }
  const folder = await mkdtemp(join(tmpdir(), 'countersign-keycloak-'))
  await cp(home, folder, { recursive: true })
  await mkdir(join(folder, 'data/import'), { recursive: true })
  await cp(realmFile, join(folder, 'data/import/realm.json'))
  return folder
}
