/**
 * ChatML with tools. A tool is one signature line in the system turn: `edit(line, code): Replace one line.`, where it
 * may have no parameters and no description.
 * A call of the assistant is a JSON object between <tool_call> tags; arguments may be an object or JSON text.
 */
export const CHAT_TEMPLATE = `{%- macro signature(tool) -%}
{{- tool.function.name + '(' -}}
{%- if tool.function.parameters and tool.function.parameters.properties -%}
{%- for name, schema in tool.function.parameters.properties.items() -%}
{{- name -}}{%- if not loop.last -%}{{- ', ' -}}{%- endif -%}
{%- endfor -%}
{%- endif -%}
{{- ')' -}}
{%- if tool.function.description -%}{{- ': ' + tool.function.description -}}{%- endif -%}
{%- endmacro -%}
{%- if tools or messages[0].role == 'system' -%}
{{- '<|im_start|>system\\n' -}}
{%- if messages[0].role == 'system' -%}{{- messages[0].content -}}{%- endif -%}
{%- if tools -%}{%- for tool in tools -%}{{- '\\n' -}}{{- signature(tool) -}}{%- endfor -%}{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- for message in messages -%}
{%- if not (loop.first and message.role == 'system') -%}
{{- '<|im_start|>' + message.role + '\\n' -}}
{%- if message.content -%}{{- message.content -}}{%- endif -%}
{%- if message.tool_calls -%}
{%- for call in message.tool_calls -%}
{%- if message.content or not loop.first -%}{{- '\\n' -}}{%- endif -%}
{{- '<tool_call>\\n{"name": "' + call.function.name + '", "arguments": ' -}}
{%- if call.function.arguments is string -%}{{- call.function.arguments -}}{%- else -%}{{- call.function.arguments | tojson -}}{%- endif -%}
{{- '}\\n</tool_call>' -}}
{%- endfor -%}
{%- endif -%}
{{- '<|im_end|>\\n' -}}
{%- endif -%}
{%- endfor -%}
{%- if add_generation_prompt -%}{{- '<|im_start|>assistant\\n' -}}{%- endif -%}`;
