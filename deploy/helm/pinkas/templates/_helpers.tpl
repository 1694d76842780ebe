{{/* Labels that select the pods of one component. Takes (dict "root" $ "part" name). */}}
{{- define "pinkas.selector" -}}
app.kubernetes.io/name: pinkas
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .part }}
{{- end }}

{{- define "pinkas.labels" -}}
{{ include "pinkas.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{/* The image of a service, by tag, and by digest where there is one. */}}
{{- define "pinkas.image" -}}
{{- $digest := get .root.Values.images.digests .part -}}
{{ .root.Values.images.registry }}/pinkas-{{ .part }}:{{ .root.Values.images.tag | default .root.Chart.AppVersion }}{{ with $digest }}@{{ . }}{{ end }}
{{- end }}

{{- define "pinkas.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile: { type: RuntimeDefault }
{{- end }}

{{- define "pinkas.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities: { drop: [ALL] }
{{- end }}

{{/* Stops where the values would render what cannot work; each message names the section of docs/operating/install.md. */}}
{{- define "pinkas.checkValues" -}}
{{- if ne .Release.Name "pinkas" }}
{{- fail "the release must be called pinkas: the host names in the secrets follow from it (helm install pinkas …)" }}
{{- end }}
{{- if not .Values.postgres.enabled }}
{{- $_ := required "with postgres.enabled: false set postgres.externalCidr to the network of your server, such as 10.1.0.5/32, or the network policies deny it: docs/operating/install.md, 'Your own PostgreSQL'" .Values.postgres.externalCidr }}
{{- if .Values.postgres.provision }}
{{- $_ := required "with postgres.enabled: false set postgres.adminSecretName to a secret with an administrator's address, or postgres.provision: false: docs/operating/install.md, 'Your own PostgreSQL'" .Values.postgres.adminSecretName }}
{{- end }}
{{- end }}
{{- if not .Values.redis.enabled }}
{{- $_ := required "with redis.enabled: false set redis.externalCidr to the network of your Redis, such as 10.1.0.6/32, or the network policies deny it" .Values.redis.externalCidr }}
{{- end }}
{{- if not .Values.nats.enabled }}
{{- $_ := required "with nats.enabled: false set messaging.externalCidr to the network of your NATS, such as 10.1.0.7/32, or the network policies deny it" .Values.messaging.externalCidr }}
{{- end }}
{{- $_ := required "set services.delivery.environment.MAIL_FROM to the sender's address of emails" .Values.services.delivery.environment.MAIL_FROM }}
{{- $_ := required "set services.allocation.environment.TAX_AUTHORITY_CLIENT_ID to the id of your application at the tax authority" .Values.services.allocation.environment.TAX_AUTHORITY_CLIENT_ID }}
{{- end }}

{{- define "pinkas.postgresCaSecret" -}}
{{- .Values.postgres.caSecretName | default (ternary "pinkas-postgres-ca" "" .Values.postgres.enabled) -}}
{{- end }}

{{/* Spreads replicas over nodes, and over zones if there are any. Takes (dict "root" $ "part" name). */}}
{{- define "pinkas.spread" -}}
- maxSkew: 1
  topologyKey: kubernetes.io/hostname
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: { {{ include "pinkas.selector" . | replace "\n" ", " }} } }
- maxSkew: 1
  topologyKey: topology.kubernetes.io/zone
  whenUnsatisfiable: ScheduleAnyway
  labelSelector: { matchLabels: { {{ include "pinkas.selector" . | replace "\n" ", " }} } }
{{- end }}

{{/* A variable from a secret. Takes (dict "name" variable "secret" secret "key" key "optional" bool). */}}
{{- define "pinkas.fromSecret" -}}
- name: {{ .name }}
  valueFrom:
    secretKeyRef:
      name: {{ .secret }}
      key: {{ .key }}
      {{- if .optional }}
      optional: true
      {{- end }}
{{- end }}

{{/* The variables that are derived from other values. Takes (dict "root" $ "part" name). */}}
{{- define "pinkas.derivedEnvironment" -}}
{{- $origin := trimSuffix "/" .root.Values.origin -}}
HEALTH_HOST: 0.0.0.0
HEALTH_PORT: {{ .root.Values.healthPort | quote }}
NATS_STREAM_REPLICAS: {{ .root.Values.messaging.streamReplicas | quote }}
OTEL_EXPORTER_OTLP_ENDPOINT: {{ .root.Values.tracing.endpoint | quote }}
OTEL_TRACES_SAMPLER_ARG: {{ .root.Values.tracing.share | quote }}
NATS_CA_FILE: {{ ternary "/etc/pinkas/nats/ca.crt" "" (ne .root.Values.messaging.caSecretName "") | quote }}
{{- if or (eq .part "gateway") (eq .part "delivery") }}
PDF_URL_BASE: {{ $origin }}/pdf
{{- end }}
{{- if eq .part "gateway" }}
PAYMENT_URL: {{ .root.Values.paymentUrl }}
{{- end }}
{{- if eq .part "console" }}
CONSOLE_URL: {{ trimSuffix "/" .root.Values.console.origin }}
ACCOUNTING_SOFTWARE_NUMBER: {{ .root.Values.services.allocation.environment.ACCOUNTING_SOFTWARE_NUMBER | quote }}
SOFTWARE_VENDOR_TAX_ID: {{ .root.Values.operator.environment.SOFTWARE_VENDOR_TAX_ID | quote }}
SOFTWARE_VENDOR_NAME: {{ .root.Values.operator.environment.SOFTWARE_VENDOR_NAME | quote }}
{{- end }}
{{- if or (eq .part "gateway") (eq .part "console") }}
BASE_URL: {{ $origin }}/v1
DOCS_URL: {{ $origin }}/docs
TRUSTED_PROXIES: {{ required "set ingress.trustedProxies to the network of the ingress controller's pods, such as 10.244.0.0/16: docs/operating/install.md, 'The address of a caller'" .root.Values.ingress.trustedProxies | quote }}
{{- end }}
{{- if eq .part "allocation" }}
TAX_AUTHORITY_REDIRECT_URI: {{ $origin }}/tax-authority/connected
{{- end }}
{{- if eq .part "delivery" }}
DKIM_KEY_FOLDER: {{ ternary "/etc/pinkas/dkim" "" (ne .root.Values.dkimSecretName "") | quote }}
{{- end }}
{{- if or (eq .part "gateway") (eq .part "console") (eq .part "delivery") (eq .part "rendering") }}
VIEW_URL_BASE: {{ $origin }}/d
{{- end }}
{{- end }}

{{/* The parts that the operator's pod and the chart's test share. */}}
{{- define "pinkas.operatorPod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
serviceAccountName: {{ .Release.Name }}
securityContext: {{- include "pinkas.podSecurity" $ | nindent 2 }}
{{- with .Values.images.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- end }}

{{- define "pinkas.operatorConnection" -}}
{{ include "pinkas.fromSecret" (dict "name" "NATS_URL" "secret" .Values.operator.secretName "key" "NATS_URL") }}
{{- if .Values.messaging.caSecretName }}
- name: NODE_EXTRA_CA_CERTS
  value: /etc/pinkas/nats/ca.crt
{{- end }}
{{- end }}

{{- define "pinkas.operatorMounts" -}}
- { name: tmp, mountPath: /tmp }
{{- if .Values.messaging.caSecretName }}
- { name: nats-ca, mountPath: /etc/pinkas/nats, readOnly: true }
{{- end }}
{{- end }}

{{- define "pinkas.operatorCa" -}}
{{- with .Values.messaging.caSecretName }}
- { name: nats-ca, secret: { secretName: {{ . }}, items: [{ key: ca.crt, path: ca.crt }] } }
{{- end }}
{{- end }}
