import { accessSync, constants, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { requireRegularFile } from './regular-file.ts'

/**
 * Returns why no file can be made or replaced at a path: its folder does not exist or refuses writes, or the path is no
 * file. Undefined if one can be made. Nothing is created to find this out.
 */
export function folderProblem(path: string): string | undefined {
  const folder = dirname(path)
  try {
    if (!statSync(folder).isDirectory()) return `${folder} is not a folder`
    requireRegularFile(path)
    accessSync(folder, constants.W_OK | constants.X_OK)
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return `there is no folder ${folder}`
    if (code === 'ENOTDIR') return `a part of ${folder} is not a folder`
    return code === undefined ? message : `the folder ${folder} cannot be written (${code})`
  }
}
