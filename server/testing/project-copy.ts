import { cpSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

/** The root of this project. */
export const projectRoot = resolve(import.meta.dirname, '../..')

export type ProjectCopy = { folder: string; remove(): void }

/**
 * Copies files and folders of this project to a temporary folder where Next can build, serve and rewrite them. Packages are
 * those of this project. `settings` are added to Next's.
 */
export function copyProject(sources: readonly string[], settings: Record<string, unknown> = {}): ProjectCopy {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-project-'))
  for (const source of [...sources, 'package.json', 'tsconfig.json', 'next.config.mjs'])
    cpSync(join(projectRoot, source), join(folder, source), {
      recursive: true,
      filter: (file) => !/\.test\.tsx?$/.test(file) && file !== join(projectRoot, 'server/testing'),
    })
  symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'))
  renameSync(join(folder, 'next.config.mjs'), join(folder, 'project.config.mjs'))
  // Turbopack only reads files below its root, which must contain the copy and the packages.
  const own = { ...settings, turbopack: { root: resolve('/') } }
  writeFileSync(
    join(folder, 'next.config.mjs'),
    `import base from './project.config.mjs'\n\nexport default { ...base, ...${JSON.stringify(own)} }\n`,
  )
  return { folder, remove: () => rmSync(folder, { recursive: true }) }
}
