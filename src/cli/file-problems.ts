import { existsSync } from 'node:fs'
import type { Config } from '../base/config/resolve.ts'
import { nameWithVariable } from '../base/config/rows.ts'
import { folderProblem } from '../base/lib/unusable-file.ts'
import { FileKeyRing } from '../receipts/file-key-ring.ts'
import { KeyFileProblem } from '../receipts/key-files.ts'

interface FileOption {
  readonly path: readonly [section: string, key: string]
  readonly file: (config: Config) => string | undefined
  /**
   * What happens if the daemon cannot write the file. `refuses`: it does not start. Otherwise it
   * starts, and `but` is a clause about what will not work.
   */
  readonly without: 'refuses' | { readonly but: string }
}

const fileOptions: readonly FileOption[] = [
  {
    path: ['guard', 'file'],
    file: ({ guard }) => (guard.enabled ? guard.file : undefined),
    without: 'refuses',
  },
  {
    path: ['receipts', 'keyFile'],
    // The folder of an existing key file may be read-only, like that of a Kubernetes secret,
    // because the daemon only reads the file.
    file: ({ receipts: { sign, keyFile } }) =>
      sign === 'off' || keyFile === undefined || existsSync(keyFile) ? undefined : keyFile,
    without: 'refuses',
  },
  {
    path: ['ledger', 'file'],
    file: ({ ledger }) => (ledger.driver === 'embedded' ? ledger.file : undefined),
    without: 'refuses',
  },
  {
    path: ['mirror', 'file'],
    file: ({ mirror }) => (mirror.level === 'off' ? undefined : mirror.file),
    without: { but: 'the daemon starts, and the mirror does not survive a restart' },
  },
  {
    path: ['scanClient', 'rosterFile'],
    file: ({ scanClient }) => scanClient.rosterFile,
    without: { but: 'the daemon starts, and each start has to ask the seeds' },
  },
]

/**
 * Finds the configured files that a daemon could not read or write when it starts. Creates and
 * changes no file.
 */
export async function fileProblems(config: Config) {
  const keyProblem = await keyFileProblem(config)
  const problems = keyProblem === undefined ? [] : [keyProblem]
  const warnings: string[] = []
  for (const { path, file: fileIn, without } of fileOptions) {
    const isReported = keyProblem !== undefined && path[0] === 'receipts'
    const file = isReported ? undefined : fileIn(config)
    const why = file === undefined ? undefined : folderProblem(file)
    if (why === undefined) continue
    const text = `${nameWithVariable(path)} cannot be used: ${why}`
    if (without === 'refuses') problems.push(text)
    else warnings.push(`${text}; ${without.but}`)
  }
  return { problems, warnings }
}

/** If the key file does not exist, there is no problem: the daemon makes it when it starts. */
async function keyFileProblem({ receipts }: Pick<Config, 'receipts'>): Promise<string | undefined> {
  if (receipts.keyFile === undefined) return undefined
  try {
    await FileKeyRing.check(receipts.keyFile)
    return undefined
  } catch (error) {
    if (!(error instanceof KeyFileProblem)) throw error
    return `receipts.keyFile: ${error.message}`
  }
}
