import { ProtocolError, ProtocolErrorCode, type ReadResourceResult } from '@modelcontextprotocol/server';
import { AppError, accessError, agentToolOf, operations } from '@webkiln/contract';
import { openApiDocument } from '@webkiln/contract/openapi';
import { contentChunkBytes } from '@webkiln/messages';
import { type PreparedOperation, prepareOperation, requestFor } from '@webkiln/operations';
import { callForReply } from '@webkiln/rpc';
import { reads, switches } from './agent-switches.ts';
import { type CallContext, recordingUnavailable } from './protocol/answers.ts';

const documentUri = 'webkiln://openapi.json';
const fileUri = /^webkiln:\/\/projects\/([^/]+)\/files\/(.+)$/;
/** What an owner decides about this tool holds for files that are read as resources, too. */
const fileTool = agentToolOf('getProjectFile') ?? '';
const isText = /^(?:text\/|application\/(?:json|javascript|xml)|image\/svg\+xml)/;

interface FileReply {
  readonly file: { readonly content_type: string; readonly size: number };
  readonly content: Uint8Array;
}

/** The files of projects' drafts, and the document of the REST API. `origin` is the platform's public address. */
export function resources(origin: string) {
  const getFile = prepareOperation('getProjectFile', operations.getProjectFile as PreparedOperation['operation']);
  let document: string | undefined;
  return {
    resourceList: {
      resources: [
        {
          uri: documentUri,
          name: 'openapi',
          title: 'OpenAPI document of the REST API',
          description: 'All operations of the REST API, for programs. The tools cover what agents need.',
          mimeType: 'application/json',
        },
      ],
    },
    templateList: {
      resourceTemplates: [
        {
          uriTemplate: 'webkiln://projects/{project_id}/files/{+path}',
          name: 'project-file',
          title: "File of a project's draft",
          description: 'One file by the id of its project and its path, such as index.html.',
        },
      ],
    },

    /** Throws a JSON-RPC error that says why a resource cannot be read. */
    async read(uri: string, context: CallContext): Promise<ReadResourceResult> {
      if (uri === documentUri) {
        document ??= JSON.stringify(openApiDocument(`${origin}/api/v1`));
        return { contents: [{ uri, mimeType: 'application/json', text: document }] };
      }
      try {
        return { contents: [contentOf(uri, await recordingUnavailable(context, () => readFile(getFile, uri, context)))] };
      } catch (error) {
        const shown = error instanceof AppError ? error : new AppError('internal', [], { cause: error });
        context.error = shown;
        const code = shown.status === 404 ? ProtocolErrorCode.ResourceNotFound : ProtocolErrorCode.InvalidParams;
        throw new ProtocolError(shown.status >= 500 ? ProtocolErrorCode.InternalError : code, `${shown.code}: ${shown.message}`, { uri });
      }
    },
  };
}

async function readFile(getFile: PreparedOperation, uri: string, context: CallContext): Promise<FileReply> {
  const { caller, projectId: only } = context;
  const [, projectId, path = ''] = fileUri.exec(uri) ?? [];
  if (projectId === undefined || (only !== undefined && projectId.toLowerCase() !== only)) throw new AppError('file_not_found');
  if (caller === undefined) throw new AppError('missing_credential');
  await switches.assertAllowed(caller, fileTool);
  if (await switches.asksFirst(caller, fileTool)) {
    throw new AppError('approval_needed', [{ path: 'uri', message: `Agents here always ask before they read a file: call ${fileTool}` }]);
  }
  const refusal = accessError(caller.principal, getFile.access);
  if (refusal !== undefined) throw refusal;
  const request = { ...requestFor(getFile, {}, { projectId, '*': decoded(path) }), max_bytes: contentChunkBytes };
  const { reply } = await callForReply(getFile.rpc, request, caller);
  await reads.note('resources/read', caller);
  const found = reply as object as FileReply;
  if (found.content.byteLength < found.file.size) {
    throw new AppError('validation_failed', [
      { path: 'uri', message: `the file has more than ${contentChunkBytes} bytes: read it over the REST API` },
    ]);
  }
  return found;
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    throw new AppError('file_not_found');
  }
}

function contentOf(uri: string, { file, content }: FileReply): ReadResourceResult['contents'][number] {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const mimeType = file.content_type;
  return isText.test(mimeType) ? { uri, mimeType, text: bytes.toString() } : { uri, mimeType, blob: bytes.toString('base64') };
}
