import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseAllDocuments } from 'yaml'
import { top } from '../arch/sources.ts'
import type { Resource } from './kubernetes.ts'

/**
 * Runs a command and resolves with its output. Rejects if it fails or prints anything on standard error,
 * because kubectl warns there of deprecated fields.
 */
export async function printed(command: string, args: readonly string[], input = ''): Promise<string> {
  const child = spawn(command, args, { cwd: top, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin.end(input)
  const [out, err, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  if (code !== 0 || err !== '') throw new Error(`${command} ${args.join(' ')} ended with ${code}: ${err}`)
  return out
}

/** Returns the resources in a YAML text. */
export function resourcesIn(manifests: string): readonly Resource[] {
  return parseAllDocuments(manifests)
    .map((document) => document.toJS())
    .filter((resource) => resource !== null)
}

/** Resolves with the resources that kustomize renders from a folder of the repository. */
export async function kustomized(folder: string): Promise<readonly Resource[]> {
  return resourcesIn(await printed('kubectl', ['kustomize', join(top, folder)]))
}

/** Returns the only resource of a kind, or the only one of a kind with this name. Throws otherwise. */
export function the(resources: readonly Resource[], kind: string, name?: string): Resource {
  const [found, ...more] = resources.filter(
    (resource) => resource.kind === kind && (name === undefined || resource.metadata.name === name),
  )
  if (found === undefined || more.length > 0)
    throw new Error(`${found === undefined ? 0 : more.length + 1} of ${kind}`)
  return found
}
